import { reloadContent } from './reload-content.ts';
import { toast } from './toast.ts';

/** At most one reload in this time, however often the data changes. */
const PAUSE_MS = 700;
const RETRY_MS = 5_000;
/** The pages that reach the limit often stay open for a long time. */
const RETRY_FULL_MS = 30_000;

/** Subscribes to changes of the lists in `data-watch`, and updates the content of the page when they change. */
export function startLive(): void {
  const watch = document.querySelector<HTMLElement>('[data-watch]')?.dataset['watch'] ?? '';
  if (watch === '') return;
  const address = `/console/live?watch=${encodeURIComponent(watch)}`;
  let stream: EventSource | null = null;
  let wasLost = false;
  let timer: ReturnType<typeof setTimeout> | null = null;

  async function refresh(): Promise<void> {
    const result = await reloadContent();
    if (result !== 'signed-out') return;
    stream?.close();
    setState('lost', 'Signed out');
    toast('Your session has ended. Sign in again to see changes.', {
      forMs: 60_000,
      action: { label: 'Sign in', run: () => location.reload() },
    });
  }

  function refreshSoon(): void {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      // A hidden tab does not reload: it does so once, when it becomes visible.
      if (document.visibilityState === 'visible') void refresh();
    }, PAUSE_MS);
  }

  /** Browsers do not reconnect after an HTTP error, but a full or restarting server may accept a later request. */
  async function retryLater(refused: EventSource): Promise<void> {
    const isFull = await areTooManyOpen(address);
    if (stream !== refused) return;
    if (isFull)
      setState('paused', 'Live updates paused: too many pages are open (limit: 10 per user and server process).');
    else setState('lost', LOST);
    setTimeout(() => stream === refused && open(), isFull ? RETRY_FULL_MS : RETRY_MS);
  }

  function open(): void {
    stream = new EventSource(address);
    stream.addEventListener('open', () => {
      setState('on', 'Live');
      if (wasLost) refreshSoon();
      wasLost = false;
    });
    stream.addEventListener('changed', refreshSoon);
    stream.addEventListener('error', () => {
      wasLost = true;
      if (stream?.readyState === EventSource.CLOSED) void retryLater(stream);
      else setState('lost', LOST);
    });
  }

  document.addEventListener('content-shown', showState);
  // Browsers limit the connections to one server, so hidden tabs close theirs.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') {
      stream?.close();
      stream = null;
      return;
    }
    if (stream === null) open();
    refreshSoon();
  });
  if (document.visibilityState === 'visible') open();
}

const LOST = 'Connection lost. Trying again.';

/** Repeats a refused request, because `EventSource` gives scripts neither the status nor the headers of a response. */
async function areTooManyOpen(address: string): Promise<boolean> {
  const stop = new AbortController();
  const response = await fetch(address, { signal: stop.signal }).catch(() => null);
  const isFull = response?.headers.get('x-live-pages') === 'full';
  // The repeated request may succeed; that stream must not stay open.
  stop.abort();
  return isFull;
}

type State = 'on' | 'lost' | 'paused';

let shown: { readonly state: State; readonly words: string } | null = null;

function setState(state: State, words: string): void {
  shown = { state, words };
  showState();
}

function showState(): void {
  if (shown === null) return;
  const { state, words } = shown;
  for (const element of document.querySelectorAll<HTMLElement>('.live')) {
    element.dataset['state'] = state;
    element.textContent = words;
    if (state === 'paused') element.append(' ', reloadLink());
  }
}

function reloadLink(): HTMLAnchorElement {
  const link = document.createElement('a');
  link.href = location.href;
  link.textContent = 'Reload';
  link.addEventListener('click', (event) => {
    event.preventDefault();
    location.reload();
  });
  return link;
}
