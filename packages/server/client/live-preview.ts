import { reloadPart } from './reload-content.ts';

const PAUSE_MS = 350;

/**
 * Shows what a form with `data-preview` would do, while it is being filled in: the form is sent with `action=preview`, which changes nothing,
 * and the part of the response with the id that `data-preview` names replaces the one on the page. Without the script, a button does it.
 */
export function startPreviews(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-preview]')) follow(form);
}

function follow(form: HTMLFormElement): void {
  const part = `#${form.dataset['preview'] ?? ''}`;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | null = null;
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void refresh(), PAUSE_MS);
  });

  /** Only the newest response is shown: an older one may arrive later. */
  async function refresh(): Promise<void> {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    const fields = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.append(name, value);
    fields.set('action', 'preview');
    const response = await fetch(form.action, { method: 'POST', body: fields, signal: mine.signal }).catch(() => null);
    // A refusal has a preview too: it says what is wrong.
    if (response !== null && (response.ok || response.status === 422)) reloadPart(part, await response.text());
  }
}
