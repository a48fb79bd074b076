import { toast } from './toast.ts';

/** Copying needs the script, so the buttons are hidden without it. */
export function showCopyButtons(part: ParentNode): void {
  for (const one of part.querySelectorAll<HTMLButtonElement>('[data-action="copy"]')) one.hidden = false;
}

export function startCopying(): void {
  document.addEventListener('click', (event) => {
    const pressed = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-action="copy"]') : null;
    const text = pressed?.dataset['copy'];
    if (text === undefined) return;
    navigator.clipboard.writeText(text).then(
      () => toast('Copied.'),
      () => toast('The browser does not allow copying here. Select the text instead.'),
    );
  });
}
