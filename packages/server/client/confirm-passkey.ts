import { askForPasskey, canUsePasskeys, faultOf } from './passkey-credential.ts';
import { toast } from './toast.ts';

const ASSERTION = 'passkeyAssertion';
const SEALED = 'passkeySealed';

/**
 * Forms that a passkey confirms. One with `data-passkey-options` has its challenge already: it is the page that asks for a passkey. One with
 * `data-passkey` gets it when it is sent, so that its user sees no other page. Without this script, such a form leads to that page.
 */
export function confirmByPasskey(): void {
  showForms();
  document.addEventListener('content-shown', showForms);
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || event.defaultPrevented) return;
    const { passkeyOptions, passkey, host } = form.dataset;
    if (passkeyOptions !== undefined) {
      event.preventDefault();
      void attempt(form, async () => {
        complete(form, { [ASSERTION]: JSON.stringify(await askForPasskey(JSON.parse(passkeyOptions))) });
      });
    } else if (passkey !== undefined && isStep(passkey, event.submitter) && canUsePasskeys(host)) {
      event.preventDefault();
      void attempt(form, () => confirm(form, event.submitter));
    }
  });
}

/** `data-passkey` names the values of the buttons that a passkey confirms: `approve publish`. */
function isStep(names: string, submitter: HTMLElement | null): boolean {
  return submitter instanceof HTMLButtonElement && names.split(' ').includes(submitter.value);
}

function showForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey-options]')) {
    if (!canUsePasskeys(form.dataset['host'])) continue;
    form.hidden = false;
    for (const words of document.querySelectorAll<HTMLElement>('[data-passkey-unable]')) words.hidden = true;
  }
}

/** Gets the challenge of what the form would do, has it signed, and sends the form. */
async function confirm(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const fields = new FormData(form, submitter);
  const body = new URLSearchParams();
  for (const [name, value] of fields) body.append(name, String(value));
  body.append('passkeyAsk', '1');
  const challenge = await askForChallenge(form.action, body);
  const step =
    submitter instanceof HTMLButtonElement && submitter.name !== '' ? { [submitter.name]: submitter.value } : {};
  // The page that the form leads to says what is wrong.
  if (challenge === null) return complete(form, step);
  const assertion = JSON.stringify(await askForPasskey(challenge.options));
  complete(form, { ...step, [ASSERTION]: assertion, [SEALED]: challenge.sealed });
}

async function askForChallenge(action: string, body: URLSearchParams) {
  const response = await fetch(action, { method: 'POST', body, headers: { accept: 'application/json' } });
  if (!(response.headers.get('content-type') ?? '').startsWith('application/json')) return null;
  const received: unknown = await response.json();
  if (typeof received !== 'object' || received === null || !('options' in received) || !('sealed' in received))
    return null;
  return { options: received.options, sealed: String(received.sealed) };
}

function complete(form: HTMLFormElement, fields: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(fields)) {
    const field = form.querySelector<HTMLInputElement>(`input[type="hidden"][name="${name}"]`) ?? addField(form, name);
    field.value = value;
  }
  form.submit();
}

function addField(form: HTMLFormElement, name: string): HTMLInputElement {
  const field = document.createElement('input');
  field.type = 'hidden';
  field.name = name;
  form.append(field);
  return field;
}

/** Runs it once at a time, and says why it failed. */
async function attempt(form: HTMLFormElement, action: () => Promise<void>): Promise<void> {
  if (form.dataset['confirming'] === 'true') return;
  form.dataset['confirming'] = 'true';
  const fault = form.querySelector<HTMLElement>('.fault');
  if (fault !== null) fault.hidden = true;
  try {
    await action();
  } catch (error) {
    const words = `${faultOf(error)} Nothing was changed.`;
    if (fault === null) toast(words, { forMs: 10_000 });
    else {
      fault.textContent = words;
      fault.hidden = false;
    }
  } finally {
    delete form.dataset['confirming'];
  }
}
