import { reloadContent } from './reload-content.ts';
import { toast } from './toast.ts';

/** At most one reload in this time, however often the data changes. */
const PAUSE_MS = 700;
const RETRY_MS = 5_000;

/** Follows changes of what the page shows (`data-watch`), and shows them without a reload of the page. */
export function startLive(): void {
  const watch = document.querySelector<HTMLElement>('[data-watch]')?.dataset['watch'] ?? '';
  if (watch === '') return;
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
      // A reload in the background would be lost work; the page is current again when it is looked at.
      if (document.visibilityState === 'visible') void refresh();
    }, PAUSE_MS);
  }

  function open(): void {
    stream = new EventSource(`/console/live?watch=${encodeURIComponent(watch)}`);
    stream.addEventListener('open', () => {
      setState('on', 'Live');
      if (wasLost) refreshSoon();
      wasLost = false;
    });
    stream.addEventListener('changed', refreshSoon);
    stream.addEventListener('error', () => {
      wasLost = true;
      setState('lost', 'Connection lost. Trying again.');
      // A browser gives up after a refusal; a server that restarts comes back.
      if (stream?.readyState === EventSource.CLOSED) setTimeout(() => stream !== null && open(), RETRY_MS);
    });
  }

  document.addEventListener('content-shown', showState);
  // Browsers open only a few connections to a server, which hidden tabs must not use up.
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

let shown: { readonly state: 'on' | 'lost'; readonly words: string } | null = null;

function setState(state: 'on' | 'lost', words: string): void {
  shown = { state, words };
  showState();
}

function showState(): void {
  if (shown === null) return;
  const { state, words } = shown;
  for (const element of document.querySelectorAll<HTMLElement>('.live')) {
    element.dataset['state'] = state;
    element.textContent = words;
  }
}
