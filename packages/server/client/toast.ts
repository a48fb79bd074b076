export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

const SHOWN_MS = 4_000;

/** Shows a message at the bottom of the page for a moment. Returns a function that removes it. */
export function toast(
  text: string,
  { action, forMs = SHOWN_MS }: { readonly action?: ToastAction; readonly forMs?: number } = {},
): () => void {
  const place = document.getElementById('toasts');
  const box = document.createElement('div');
  box.className = 'toast';
  const words = document.createElement('span');
  words.textContent = text;
  box.append(words);
  const remove = () => box.remove();
  if (action !== undefined) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'small';
    button.textContent = action.label;
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
