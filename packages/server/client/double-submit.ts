/** A second press of a button while its form is being sent does nothing. Going back to the page makes the buttons work again. */
export function guardDoubleSubmits(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || event.defaultPrevented) return;
    if (form.dataset['sent'] === 'true') {
      event.preventDefault();
      return;
    }
    // A form that opens a download, a frame or another tab leaves the page as it is.
    if (form.method === 'post' && form.target === '' && !staysOnPage(event.submitter)) form.dataset['sent'] = 'true';
  });
  addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll<HTMLFormElement>('form[data-sent]')) delete form.dataset['sent'];
  });
}

/** Whether the button shows the response in a frame, so that the page with the form stays. */
export function staysOnPage(submitter: HTMLElement | null): boolean {
  return submitter?.hasAttribute('formtarget') === true;
}
