/** What belongs to the message that the page shows now, and is not typed. */
const NOT_TYPED = new Set(['contentHash', 'decision', 'step', 'hold']);

/**
 * Writes what was typed into the same form again: after an undo, the page is loaded anew, and a reason or edits must not be lost. A page can
 * have two forms with the same address, of which each makes another decision.
 */
export function restoreTyped(action: string, fields: FormData): void {
  const decision = fields.get('decision');
  for (const form of document.forms) {
    if (form.action !== action) continue;
    const buttons = [...form.elements].filter((element) => element instanceof HTMLButtonElement);
    const decisions = buttons.filter(({ name }) => name === 'decision').map(({ value }) => value);
    if (decisions.length > 0 && !decisions.includes(String(decision))) continue;
    for (const [name, value] of fields) if (!NOT_TYPED.has(name)) fill(form.elements.namedItem(name), String(value));
  }
}

function fill(field: Element | RadioNodeList | null, value: string): void {
  if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = true;
  else if (
    field instanceof HTMLInputElement ||
    field instanceof HTMLTextAreaElement ||
    field instanceof HTMLSelectElement
  )
    field.value = value;
  else return;
  // The form is being edited: a live page must leave it as it is.
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
