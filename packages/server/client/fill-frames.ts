/**
 * Presses the buttons that show the content of their form in a frame (`data-fills-frame`), and hides them, because they would show the same
 * again. Without the script, a reader presses them.
 */
export function fillFrames(part: ParentNode): void {
  for (const button of part.querySelectorAll<HTMLButtonElement>('button[data-fills-frame]')) {
    button.form?.requestSubmit(button);
    button.hidden = true;
  }
}
