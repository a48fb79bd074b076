/** Fields with the same `data-same-text` have the same text, such as the note of an approval and that of a rejection: typed once, it counts for both. */
export function shareTexts(): void {
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const name = target.dataset['sameText'];
    if (name === undefined) return;
    for (const other of document.querySelectorAll<HTMLInputElement>(`input[data-same-text="${CSS.escape(name)}"]`)) {
      if (other.value === target.value) continue;
      other.value = target.value;
      // The form of the other field is being edited too.
      other.dispatchEvent(new Event('input', { bubbles: true }));
    }
  });
}
