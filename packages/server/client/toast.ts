export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
  /** The key that presses it. */
  readonly key?: string;
}

const SHOWN_MS = 4_000;

/** Shows a message at the bottom of the page for a moment. Returns a function that removes it. */
export function toast(
  text: string,
  {
    action,
    forMs = SHOWN_MS,
    countsDown = false,
  }: { readonly action?: ToastAction; readonly forMs?: number; readonly countsDown?: boolean } = {},
): () => void {
  const place = document.getElementById('toasts');
  const box = document.createElement('div');
  box.className = 'toast';
  const words = document.createElement('span');
  words.textContent = text;
  box.append(words);
  const ticking = countsDown ? countDown(box, forMs) : null;
  const remove = () => {
    if (ticking !== null) clearInterval(ticking);
    box.remove();
  };
  if (action !== undefined) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'small';
    button.textContent = action.label;
    if (action.key !== undefined) {
      button.dataset['key'] = action.key;
      button.setAttribute('aria-keyshortcuts', action.key);
      const hint = document.createElement('kbd');
      hint.setAttribute('aria-hidden', 'true');
      hint.textContent = action.key;
      button.append(' ', hint);
    }
    button.addEventListener('click', () => {
      remove();
      action.run();
    });
    box.append(button);
  }
  place?.append(box);
  setTimeout(remove, forMs);
  return remove;
}

/** Shows the seconds that are left. Screen readers do not read each of them. */
function countDown(box: HTMLElement, forMs: number): ReturnType<typeof setInterval> {
  const seconds = document.createElement('span');
  seconds.className = 'seconds';
  seconds.setAttribute('aria-hidden', 'true');
  const end = Date.now() + forMs;
  const show = () => {
    seconds.textContent = `${Math.max(0, Math.ceil((end - Date.now()) / 1_000))} s`;
  };
  show();
  box.append(seconds);
  return setInterval(show, 250);
}
