import type { Watch } from '../../events/change-watcher.ts';
import { formatEvent, HEARTBEAT } from '../../server-sent-events.ts';

const HEARTBEAT_MS = 15_000;
/** How long browsers wait before they reconnect. */
const RETRY_MS = 2_000;

/**
 * Server-sent events: first `watching`, then `changed` with the name of each topic that has changed since the client last read, and
 * comments as keep-alives. Ends with the watch or the client, and closes the watch.
 */
export async function* streamChanges(
  watch: Watch,
  gone: AbortSignal,
  heartbeatMs: number = HEARTBEAT_MS,
): AsyncGenerator<string, void, undefined> {
  const changed = new Set<string>();
  let isOver = gone.aborted;
  let wake = () => {};
  const end = () => {
    isOver = true;
    wake();
  };
  gone.addEventListener('abort', end, { once: true });
  try {
    watch.start((name) => {
      changed.add(name);
      wake();
    }, end);
    // A page that lost its connection may have missed changes: this lets it fetch its lists again.
    yield formatEvent({ retryMs: RETRY_MS, event: 'watching', data: {} });
    while (!isOver) {
      if (changed.size === 0) await pause(heartbeatMs, (resolve) => (wake = resolve));
      if (isOver) return;
      if (changed.size === 0) yield HEARTBEAT;
      for (const topic of changed) {
        changed.delete(topic);
        yield formatEvent({ event: 'changed', data: { topic } });
        if (isOver) return;
      }
    }
  } finally {
    gone.removeEventListener('abort', end);
    watch.close();
  }
}

/** Until it is woken, or the time has passed. */
async function pause(ms: number, whenWoken: (resolve: () => void) => void): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    whenWoken(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
