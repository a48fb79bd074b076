import { staysOnPage } from './double-submit.ts';

const SENT = 'draft-sent';

/**
 * Keeps what is typed into a form with `data-keep-typed` in the tab, so that a closed page, an ended session or a lost connection loses
 * nothing. It is removed when the form was accepted, which leads to another page. A hidden field is kept too if it has `data-kept`, such as
 * the version that the text belongs to.
 */
export function keepTyped(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-keep-typed]');
  // A form that was sent for a preview has another address than before.
  const key = `draft:${form?.dataset['keepTyped'] || location.pathname}`;
  const sent = sessionStorage.getItem(SENT);
  if (sent !== null && sent !== key) sessionStorage.removeItem(sent);
  sessionStorage.removeItem(SENT);
  if (form === null) return;
  restore(form, sessionStorage.getItem(key));
  form.addEventListener('input', () => {
    // Storage can be full or forbidden; the form works without it.
    try {
      sessionStorage.setItem(key, JSON.stringify(fieldsOf(form).map(({ name, value }) => [name, value])));
    } catch {}
  });
  form.addEventListener('submit', ({ submitter }) => {
    if (!staysOnPage(submitter)) sessionStorage.setItem(SENT, key);
  });
}

type Field = HTMLInputElement | HTMLTextAreaElement;

function fieldsOf(form: HTMLFormElement): readonly Field[] {
  const fields = form.querySelectorAll<Field>(
    'textarea[name], input[name][data-kept], input[name]:not([type="hidden"], [type="checkbox"], [type="radio"], [type="password"])',
  );
  return [...fields];
}

/** Only into fields that the server left as they were: what it sent back after a refusal is newer. */
function restore(form: HTMLFormElement, stored: string | null): void {
  if (stored === null || form.hasAttribute('data-returned')) return;
  if (form.querySelector('[aria-invalid="true"]') !== null) return;
  const kept = new Map(JSON.parse(stored) as readonly [string, string][]); // Written above.
  for (const field of fieldsOf(form)) {
    const value = kept.get(field.name);
    if (value !== undefined && value !== '' && field.value === field.defaultValue) field.value = value;
  }
}
