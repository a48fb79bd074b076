import type { HeldSendRecord } from '../src/apps/held-send-record.ts';
import { element } from './elements.ts';
import { heldContent } from './held-card.ts';
import { type NamedHold, pageOf, type Shown } from './tool-result.ts';
import { countOf, STATUS_WORDS, statusAt, timeLeft } from './words.ts';

/** What is known of one hold. */
interface State {
  readonly named: NamedHold;
  record: HeldSendRecord | null;
  /** Why it is no longer read. */
  fault: string | null;
  /** Whether the client did not open its page, so that the reader needs the address. */
  isUnopened: boolean;
}

export interface View {
  show(shown: Shown): void;
  update(record: HeldSendRecord): void;
  fail(approvalId: string, message: string): void;
  /** Again with the present time. */
  refresh(): void;
}

export interface ViewSettings {
  readonly root: HTMLElement;
  /** Says what has changed to people who do not see it. */
  readonly announce: (news: string) => void;
  readonly now: () => Date;
  readonly timeZone: () => string;
  /** Resolves with whether the client opened it. */
  readonly open: (url: string) => Promise<boolean>;
  /** Whether the frame can read holds through the client. */
  readonly canRead: () => boolean;
}

export function createView(settings: ViewSettings): View {
  const { root, now } = settings;
  let states: State[] = [];
  let count = 0;
  let drawn = '';

  function draw(): void {
    const key = JSON.stringify([count, states, states.map((state) => headOf(state, now())), settings.timeZone()]);
    if (key === drawn) return;
    drawn = key;
    const [only] = states;
    const content =
      states.length === 1 && only !== undefined ? single(only, settings) : several(states, count, settings);
    replaceKeepingState(root, content);
    drawTimes();
  }

  /** Without the rest, so that a reader keeps the place. */
  function drawTimes(): void {
    for (const element of root.querySelectorAll<HTMLElement>('[data-expires]')) {
      const words = `Expires ${timeLeft(new Date(element.dataset['expires'] ?? ''), now())}`;
      if (element.textContent !== words) element.textContent = words;
    }
  }

  const stateOf = (id: string) => states.find(({ named }) => named.approvalId === id);

  return {
    show(shown) {
      states =
        shown.kind === 'holds'
          ? shown.holds.map((named) => ({ named, record: null, fault: null, isUnopened: false }))
          : [];
      count = shown.kind === 'holds' ? shown.count : 0;
      drawn = '';
      if (shown.kind === 'holds') draw();
      else root.replaceChildren(sentence(shown.title, shown.detail));
    },
    update(record) {
      const state = stateOf(record.id);
      if (state === undefined) return;
      const before = state.record?.status;
      Object.assign(state, { record: withKnownReview(record, state.record), fault: null });
      draw();
      if (before !== undefined && before !== record.status) settings.announce(STATUS_WORDS[record.status].label);
    },
    fail(approvalId, message) {
      const state = stateOf(approvalId);
      if (state !== undefined) state.fault = message;
      draw();
    },
    refresh: () => {
      if (states.length === 0) return;
      draw();
      drawTimes();
    },
  };
}

/** A busy server sends no review. An earlier one of the same content stays, because the reader may be in the middle of it. */
function withKnownReview(record: HeldSendRecord, known: HeldSendRecord | null): HeldSendRecord {
  if (record.review !== null || record.contentHash === null || record.contentHash !== known?.contentHash) return record;
  return { ...record, review: known.review };
}

/** What is unfolded stays unfolded, and the focus stays where it was. */
function replaceKeepingState(root: HTMLElement, content: Node): void {
  const states = new Map([...root.querySelectorAll('details')].map((details) => [pathOf(details), details.open]));
  const focusable = () => [...root.querySelectorAll<HTMLElement>('button, summary, [tabindex]')];
  const active = document.activeElement;
  const focused = active instanceof HTMLElement ? focusable().indexOf(active) : -1;
  root.replaceChildren(content);
  for (const details of root.querySelectorAll('details')) details.open = states.get(pathOf(details)) ?? details.open;
  focusable()[focused]?.focus({ preventScroll: true });
}

function pathOf(details: Element): string {
  return `${details.closest('[data-hold]')?.getAttribute('data-hold')} ${details.getAttribute('data-key')}`;
}

function headOf({ named, record, fault }: State, now: Date) {
  const { status, expiresAt } = record ?? named;
  const shown = expiresAt === null ? status : statusAt({ status, expiresAt }, now);
  const expires = shown === 'pending' ? expiresAt : null;
  return { status: shown, expires, page: record === null ? named.page : pageOf(record.page, named.approvalId), fault };
}

/** One hold. Its button stays in reach while the frame scrolls. */
function single(state: State, settings: ViewSettings): Node {
  const head = headOf(state, settings.now());
  return element(
    'article',
    { class: 'card', 'data-hold': state.named.approvalId, 'data-status': head.status },
    element(
      'header',
      {},
      mark(),
      element('h1', {}, 'Held email'),
      badge(head.status),
      head.expires === null ? null : element('span', { class: 'end small soft', 'data-expires': head.expires }),
    ),
    ...content(state, head, settings),
    footer(state, head, settings),
  );
}

function several(states: readonly State[], count: number, settings: ViewSettings): Node {
  const waiting = states.filter((state) => headOf(state, settings.now()).status === 'pending').length;
  const more = count - states.length;
  const title = waiting === 1 ? '1 email waits' : `${waiting + more} emails wait`;
  return element(
    'article',
    { class: 'card' },
    element(
      'header',
      {},
      mark(),
      element('h1', {}, waiting + more === 0 ? `${count} held emails, all decided` : `${title} for approval`),
    ),
    ...states.map((state, index) => row(state, index, settings)),
    more > 0
      ? element('footer', {}, element('p', { class: 'small soft' }, `And ${countOf(more, 'email')} more.`))
      : null,
  );
}

function row(state: State, index: number, settings: ViewSettings): Node {
  const head = headOf(state, settings.now());
  const subject = state.record === null ? `Email ${index + 1}` : state.record.subject || 'No subject';
  return element(
    'details',
    {
      ...{ class: 'row', 'data-hold': state.named.approvalId, 'data-status': head.status, 'data-key': 'row' },
      ...(index === 0 ? { open: '' } : {}),
    },
    element('summary', {}, element('bdi', { class: 'clamp' }, subject), badge(head.status)),
    ...content(state, head, settings),
    footer(state, head, settings),
  );
}

function content(
  { record }: State,
  { status, fault }: ReturnType<typeof headOf>,
  { timeZone, canRead }: ViewSettings,
): readonly (Node | null)[] {
  const notice =
    fault === null
      ? null
      : element('div', { class: 'notice warn' }, element('p', {}, `This view is no longer updated. ${fault}`));
  if (record !== null) return [notice, ...heldContent(record, status, timeZone())];
  const words = canRead() ? 'Reading the message…' : 'This client does not let this view read the message.';
  return [notice, fault === null ? element('div', { class: 'body' }, element('p', { class: 'soft' }, words)) : null];
}

function footer(
  state: State,
  { status, page }: ReturnType<typeof headOf>,
  { open, announce }: ViewSettings,
): Node | null {
  if (page === null) return null;
  const address = () => [`${NOT_OPENED}: `, element('span', { class: 'mono' }, page)];
  const words = state.isUnopened ? address() : [decideWords(status, page)];
  const said = element('p', { class: 'small soft' }, ...words);
  const label = status === 'pending' ? 'Open the page to decide' : 'Open its page';
  const kind = status === 'pending' ? 'button primary' : 'button';
  const button = element('button', { type: 'button', class: kind }, label);
  button.addEventListener('click', async (event) => {
    if (!event.isTrusted) return;
    if (await open(page)) return;
    // The frame may be drawn again meanwhile, so the state keeps it too.
    state.isUnopened = true;
    said.replaceChildren(...address());
    announce(NOT_OPENED);
  });
  return element('footer', {}, button, said);
}

const NOT_OPENED = 'This client did not open the page. Open it yourself';

function decideWords(status: string, page: string): string {
  const host = new URL(page).host;
  return status === 'pending'
    ? `Approvers sign in at ${host}. Nothing can be approved in this view.`
    : `Opens ${host}, where you sign in.`;
}

function sentence(title: string, detail: string): Node {
  const body = detail === '' ? null : element('p', { class: 'small soft' }, detail);
  return element('article', { class: 'card said' }, mark(), element('div', {}, element('h1', {}, title), body));
}

function badge(status: keyof typeof STATUS_WORDS): Node {
  const { label, tone } = STATUS_WORDS[status];
  return element('span', { class: `badge ${tone}` }, label);
}

function mark(): Node {
  const template = document.querySelector<HTMLTemplateElement>('#mark');
  return template === null ? document.createTextNode('') : template.content.cloneNode(true);
}
