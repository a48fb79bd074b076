const SENT = 'draft-sent';

/**
 * Keeps what is typed into a form with `data-keep-typed` in the tab, so that a closed page, an ended session or a lost connection loses
 * nothing. It is removed when the form was accepted, which leads to another page.
 */
export function keepTyped(): void {
  const key = `draft:${location.pathname}`;
  const sent = sessionStorage.getItem(SENT);
  if (sent !== null && sent !== key) sessionStorage.removeItem(sent);
  sessionStorage.removeItem(SENT);
  const form = document.querySelector<HTMLFormElement>('form[data-keep-typed]');
  if (form === null) return;
  restore(form, sessionStorage.getItem(key));
  form.addEventListener('input', () => {
    // Storage can be full or forbidden; the form works without it.
    try {
      sessionStorage.setItem(key, JSON.stringify(fieldsOf(form).map(({ name, value }) => [name, value])));
    } catch {}
  });
  form.addEventListener('submit', () => sessionStorage.setItem(SENT, key));
}

type Field = HTMLInputElement | HTMLTextAreaElement;

function fieldsOf(form: HTMLFormElement): readonly Field[] {
  const fields = form.querySelectorAll<Field>(
    'textarea[name], input[name]:not([type="hidden"], [type="checkbox"], [type="radio"], [type="password"])',
  );
  return [...fields];
}

/** Only into fields that the server left as they were: what it sent back after a refusal is newer. */
function restore(form: HTMLFormElement, stored: string | null): void {
  if (stored === null || form.querySelector('[aria-invalid="true"]') !== null) return;
  const kept = new Map(JSON.parse(stored) as readonly [string, string][]); // Written above.
  for (const field of fieldsOf(form)) {
    const value = kept.get(field.name);
    if (value !== undefined && value !== '' && field.value === field.defaultValue) field.value = value;
  }
}
