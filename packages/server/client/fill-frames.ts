/** Presses the buttons that show the content of their form in a frame (`data-fills-frame`). Without the script, a reader presses them. */
export function fillFrames(part: ParentNode): void {
  for (const button of part.querySelectorAll<HTMLButtonElement>('button[data-fills-frame]')) {
    button.form?.requestSubmit(button);
  }
}
