import { reloadPart } from './reload-content.ts';

const PAUSE_MS = 350;

/** For a name of each frame. */
let frames = 0;

/**
 * Shows what a form with `data-preview` would do, while it is being filled in: the form is sent with `action=preview` to
 * `data-preview-address` or its own address, which changes nothing, and the parts of the response with the ids that `data-preview` names
 * replace those on the page. A button with `data-preview-frame` then shows the form's content in its frame. Without the script, buttons do it.
 */
export function startPreviews(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-preview]')) follow(form);
}

function follow(form: HTMLFormElement): void {
  // A button named `action` hides the property of that name.
  const { preview = '', previewAddress = form.getAttribute('action') ?? location.href } = form.dataset;
  const parts = preview.split(' ').map((id) => `#${id}`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | null = null;
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void refresh(), PAUSE_MS);
  });
  // The server shows its own content. What the tab or the browser has kept of earlier typing is on the page without an event.
  const button = frameButton(form);
  if (button !== null && (isChanged(form) || !frameOf(button)?.hasAttribute('src'))) void refresh();

  /** Only the newest response is shown: an older one may arrive later. */
  async function refresh(): Promise<void> {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    const fields = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.append(name, value);
    fields.set('action', 'preview');
    const response = await fetch(previewAddress, { method: 'POST', body: fields, signal: mine.signal }).catch(
      () => null,
    );
    // A refusal has a preview too: it says what is wrong.
    if (response === null || !(response.ok || response.status === 422)) return;
    const text = await response.text().catch(() => null);
    if (text === null || mine.signal.aborted) return;
    for (const part of parts) reloadPart(part, text);
    markFaults(form);
    if (response.ok) showFrame(form);
  }
}

/** Fields whose fault was shown or removed. */
function markFaults(form: HTMLFormElement): void {
  for (const field of form.querySelectorAll<HTMLElement>('[aria-errormessage]')) {
    const fault = document.getElementById(field.getAttribute('aria-errormessage') ?? '');
    if ((fault?.textContent ?? '') === '') field.removeAttribute('aria-invalid');
    else field.setAttribute('aria-invalid', 'true');
  }
}

/**
 * Sends the form into a new frame that replaces the old one when it is loaded. A new frame adds nothing to the history of the tab, and the
 * old one stays visible meanwhile.
 */
function showFrame(form: HTMLFormElement): void {
  const button = frameButton(form);
  const old = button === null ? null : frameOf(button);
  if (button === null || old === null) return;
  const fresh = old.cloneNode() as HTMLIFrameElement; // A copy has the class of what it copies.
  fresh.removeAttribute('src');
  frames += 1;
  fresh.name = `preview-frame-${frames}`;
  for (const late of document.querySelectorAll('iframe[data-loading]')) late.remove();
  fresh.dataset['loading'] = '';
  old.after(fresh);
  button.formTarget = fresh.name;
  form.requestSubmit(button);
  button.formTarget = old.name;
  fresh.addEventListener('load', () => {
    if (fresh.dataset['loading'] === undefined || !fresh.isConnected) return;
    const { name } = old;
    old.remove();
    delete fresh.dataset['loading'];
    fresh.name = name;
  });
}

function frameOf({ formTarget }: HTMLButtonElement): HTMLIFrameElement | null {
  return document.querySelector(`iframe[name="${CSS.escape(formTarget)}"]`);
}

function isChanged(form: HTMLFormElement): boolean {
  const fields = form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('textarea, input[type="text"]');
  return [...fields].some(({ value, defaultValue }) => value !== defaultValue);
}

function frameButton(form: HTMLFormElement): HTMLButtonElement | null {
  return document.querySelector(`button[data-preview-frame][form="${CSS.escape(form.id)}"]`);
}
