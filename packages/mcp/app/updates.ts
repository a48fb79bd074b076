import type { HeldSendRecord } from '../src/apps/held-send-record.ts';
import { type Fields, fieldsOf, type Host } from './host.ts';

/** One read waits this long for a decision. Hosts end a call after 60 s or earlier. */
const WAIT_SECONDS = 20;
const WAIT_MARGIN_MS = 15_000;
const PAUSE_MS = 1_500;
/** Several holds are read one after the other, without waiting. */
const SEVERAL_PAUSE_MS = 10_000;
const FAULT_PAUSE_MS = 5_000;
/** Out of sight, or if the browser does not report that the frame came into sight. */
const UNSEEN_PAUSE_MS = 10_000;
/** After so many faults in a row the view stops, and says so. */
const FAULTS_MAX = 5;

export interface Updates {
  stop(): void;
}

export interface UpdateListeners {
  readonly onRead: (record: HeldSendRecord) => void;
  /** The hold cannot be read at all, or not any more. */
  readonly onFault: (approvalId: string, message: string) => void;
}

/** Reads the holds, and then again until each is decided, while the frame is in sight. */
export function startUpdates(host: Host, ids: readonly string[], { onRead, onFault }: UpdateListeners): Updates {
  const open = new Set(ids);
  const isRead = new Set<string>();
  const sight = watchSight();
  let faults = 0;
  let isStopped = false;

  async function run(): Promise<void> {
    while (open.size > 0 && !isStopped) {
      await Promise.race([sight.seen(), pause(UNSEEN_PAUSE_MS)]);
      for (const id of open) {
        if (isStopped) return;
        await readOnce(id);
      }
      await pause(faults > 0 ? FAULT_PAUSE_MS * faults : open.size > 1 ? SEVERAL_PAUSE_MS : PAUSE_MS);
    }
  }

  async function readOnce(id: string): Promise<void> {
    const waits = isRead.has(id) && open.size === 1;
    const given = { id, ...(waits ? { wait: WAIT_SECONDS } : {}) };
    const timeoutMs = (waits ? WAIT_SECONDS * 1_000 : 0) + WAIT_MARGIN_MS;
    try {
      const result = await host.request('tools/call', { name: 'read_held_send', arguments: given }, timeoutMs);
      const refusal = refusalOf(result);
      if (refusal !== null) {
        open.delete(id);
        onFault(id, refusal);
        return;
      }
      // The server wrote it; the host passed it on.
      const record = result['structuredContent'] as unknown as HeldSendRecord;
      faults = 0;
      isRead.add(id);
      if (record.status !== 'pending') open.delete(id);
      onRead(record);
    } catch {
      faults += 1;
      if (faults < FAULTS_MAX) return;
      open.clear();
      for (const left of ids) onFault(left, 'The client does not respond.');
    }
  }

  void run();
  return {
    stop() {
      isStopped = true;
    },
  };
}

/** Null if the result is a hold. A refusal that may pass counts as a fault. */
function refusalOf(result: Fields): string | null {
  const record = fieldsOf(result['structuredContent']);
  if (result['isError'] !== true && typeof record['status'] === 'string') return null;
  const { retryable, detail } = fieldsOf(record['error']);
  if (retryable === true) throw new Error('try again');
  return typeof detail === 'string' ? detail.slice(0, 300) : 'The client did not let this view read it.';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Old frames stay in a conversation: one that no one sees makes fewer calls. */
function watchSight() {
  let isInView = true;
  let waiting: (() => void)[] = [];
  const look = () => {
    if (document.hidden || !isInView) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  document.addEventListener('visibilitychange', look);
  new IntersectionObserver(([entry]) => {
    // Before the client has given the frame a height, nothing of it can be in sight.
    isInView = entry?.isIntersecting !== false || window.innerHeight === 0;
    look();
  }).observe(document.documentElement);
  return {
    seen: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        look();
      }),
  };
}
