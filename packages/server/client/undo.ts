import { endDecisionPauseSoon } from './decision-pause.ts';
import { type Delayed, delay, KEEPALIVE_BYTES, type Sending } from './delayed-forms.ts';
import { forgetTyped, reloadContent } from './reload-content.ts';
import { restoreTyped } from './restore-typed.ts';
import { toast } from './toast.ts';
import { followHistory, showPage, visit } from './visit.ts';

const WAIT_MS = 5_000;
const FAILURE_MS = 20_000;

const pending = new Map<string, Delayed>();

/**
 * Decisions can be taken back for five seconds: a form with `data-undo` is sent after that time, or when the page is left. Until then its
 * hold is marked, and nothing was decided. `data-next` is the page to show meanwhile. Without this script, such a form is sent at once.
 */
export function startUndo(): void {
  followHistory();
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset['undo'] === undefined || event.defaultPrevented) return;
    const { submitter } = event;
    const step = submitter instanceof HTMLButtonElement ? submitter.value : '';
    // Steps that only show something.
    if (step === 'change' || step === 'compare') return;
    event.preventDefault();
    start(form, submitter);
  });
  // A page that is left decides: its undo goes with it. A phone freezes hidden pages, so there it is enough to hide one.
  addEventListener('pagehide', sendAll);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' && matchMedia('(pointer: coarse)').matches) sendAll();
  });
  addEventListener('beforeunload', (event) => {
    if (totalBytes() > KEEPALIVE_BYTES) event.preventDefault();
  });
  document.addEventListener('content-shown', markPending);
  document.addEventListener('click', stayInDocument);
}

function start(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const fields = new FormData(form, submitter);
  const ids = fields.has('hold')
    ? fields.getAll('hold').map((hold) => String(hold).split(' ')[0] ?? '')
    : [form.dataset['undo'] ?? ''];
  if (fields.has('hold') || form.dataset['undo'] !== 'several') {
    if (ids.some((id) => isPending(id))) return;
  } else {
    toast('Tick the messages to decide first.');
    return;
  }
  const key = ids.join(' ');
  const home = location.href;
  const what = ids.length > 1 ? `${ids.length} messages` : nameOf(form, fields);
  const next = form.dataset['next'];
  const back = () => {
    pending.delete(key);
    markPending();
    if (next === undefined) return;
    void visit(home, location.href === home ? 'replace' : 'push').then(() => {
      if (location.href === home) restoreTyped(form.action, fields);
    });
  };
  const hideToast = toast(`${verbOf(fields)} ${what}`, {
    forMs: WAIT_MS,
    countsDown: true,
    action: {
      label: 'Undo',
      key: 'z',
      run: () => {
        delayed.cancel();
        back();
        toast('Nothing was decided.');
      },
    },
  });
  const delayed = delay(form, fields, WAIT_MS, {
    onSend: hideToast,
    onResult: (sending) => finish(sending, key, what, back),
  });
  pending.set(key, { ...delayed, ids });
  forgetTyped(form);
  markPending();
  if (next === undefined) endDecisionPauseSoon();
  else void visit(next);
}

function finish(sending: Sending, key: string, what: string, back: () => void): void {
  pending.delete(key);
  switch (sending.kind) {
    case 'done':
      toast(sending.message);
      for (const id of key.split(' ')) document.querySelector(`[data-row][data-hold="${CSS.escape(id)}"]`)?.remove();
      refresh();
      return;
    case 'page':
      showPage(sending.markup, true);
      return;
    case 'signed-out':
      // The page of an ended session keeps what was typed.
      sending.submit();
      return;
    case 'passkey':
      markPending();
      toast(sending.message, { forMs: FAILURE_MS, action: { label: 'Use your passkey', run: sending.submit } });
      refresh();
      return;
    case 'refused':
      markPending();
      toast(`${sending.message}`, {
        forMs: FAILURE_MS,
        ...(sending.href === null ? {} : { action: { label: 'Show', run: () => void visit(sending.href ?? '') } }),
      });
      refresh();
      return;
    case 'lost':
      toast(`The connection was lost. Nothing was decided about ${what}, unless the page says otherwise.`, {
        forMs: FAILURE_MS,
        action: { label: 'Show', run: back },
      });
      back();
  }
}

function refresh(): void {
  void reloadContent().then(markPending);
}

function sendAll(): void {
  for (const [key, delayed] of pending) {
    delayed.sendNow();
    pending.delete(key);
  }
}

/** Rows and pages of holds that are being decided show it, and their buttons do nothing. */
function markPending(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-hold]')) {
    const isDeciding = isPending(element.dataset['hold'] ?? '');
    element.classList.toggle('deciding', isDeciding);
    element.inert = isDeciding;
    if (isDeciding) for (const box of element.querySelectorAll<HTMLInputElement>('[data-tick]')) box.checked = false;
  }
  document.dispatchEvent(new Event('ticked'));
}

/** While something can be undone, links to other approvals do not leave this document. */
function stayInDocument(event: MouseEvent): void {
  if (pending.size === 0 || event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.origin !== location.origin) return;
  if (!/^\/console\/approvals(?:\/[\w-]{1,60})?$/.test(link.pathname)) return;
  event.preventDefault();
  void visit(link.href);
}

function isPending(id: string): boolean {
  return [...pending.values()].some(({ ids }) => ids.includes(id));
}

function totalBytes(): number {
  return [...pending.values()].reduce((sum, { bytes }) => sum + bytes, 0);
}

const VERBS: Readonly<Record<string, string>> = {
  approve: 'Approving',
  reject: 'Rejecting',
  publish: 'Publishing',
  discard: 'Discarding',
};

function verbOf(fields: FormData): string {
  return VERBS[String(fields.get('decision'))] ?? 'Deciding';
}

function nameOf(form: HTMLFormElement, fields: FormData): string {
  const id = String(fields.get('hold') ?? '').split(' ')[0] ?? '';
  const subject =
    form.dataset['subject'] ?? document.querySelector(`[data-hold="${CSS.escape(id)}"] .row-link`)?.textContent ?? '';
  return `“${subject.slice(0, 80)}”`;
}
