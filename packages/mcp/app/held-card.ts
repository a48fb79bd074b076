import type { HeldSendRecord, Some } from '../src/apps/held-send-record.ts';
import { element, foreign, foreignName } from './elements.ts';
import { findingNotice } from './findings.ts';
import { countOf, FIELD_WORDS, formatSize, formatTime, type ShownStatus } from './words.ts';

/** The most of a list that is shown before it is unfolded. */
const SHOWN_LINKS = 4;
const SHOWN_MAILBOXES = 8;
const SHORT_SUBJECT = 100;

/** What an approver reads of a held send, in the order of the console: what deceives, whom it goes to, what it says, where it leads. */
export function heldContent(record: HeldSendRecord, status: ShownStatus, timeZone: string): readonly (Node | null)[] {
  return [
    decidedNotice(record, status, timeZone),
    status === 'pending' ? findingNotice(record.review, record.contentHash !== null) : null,
    element(
      'div',
      { class: 'body' },
      subject(record.subject),
      envelope(record, timeZone),
      blindCopies(record.bcc),
      status === 'pending' ? reasons(record) : null,
      message(record),
      links(record.review),
      files(record.attachments),
      origin(record),
    ),
  ];
}

function subject(text: string): Node {
  // A long one scrolls, so that it does not push the recipients out of sight, and the keyboard must reach it.
  const scrolls = text.length > SHORT_SUBJECT ? { tabindex: '0', role: 'region', 'aria-label': 'Subject' } : {};
  return element('p', { class: 'subject', ...scrolls }, text === '' ? 'No subject' : foreign(text));
}

function decidedNotice({ decision }: HeldSendRecord, status: ShownStatus, timeZone: string): Node | null {
  if (status === 'pending') return null;
  const when = decision?.at == null ? '' : ` on ${formatTime(decision.at, timeZone)}`;
  const words: Readonly<Record<Exclude<ShownStatus, 'pending'>, string>> = {
    approved: `An approver approved it${when}.`,
    rejected: `An approver rejected it${when}, and it was not sent.`,
    expired: 'No one decided in time, and it was not sent.',
    withdrawn: `Its sender withdrew it${when}, and it was not sent.`,
  };
  const reason = decision?.reason == null ? '' : ` ${decision.reason}.`;
  const edited = decision?.edited ?? [];
  const changed = edited.length === 0 ? '' : ` They changed ${edited.map((it) => FIELD_WORDS[it] ?? it).join(', ')}.`;
  const problem = decision?.problem == null ? '' : ` It could not be sent: ${decision.problem}`;
  const tone = status === 'approved' && problem === '' ? 'good' : status === 'approved' ? 'bad' : 'info';
  const note = decision?.note == null ? null : element('p', {}, 'They wrote: “', foreign(decision.note), '”');
  return element('div', { class: `notice ${tone}` }, element('p', {}, words[status], reason, changed, problem), note);
}

function envelope({ from, replyTo, to, cc, scheduledAt, unsubscribe, headers }: HeldSendRecord, zone: string): Node {
  return facts([
    ['From', foreign(from)],
    ['Reply to', replyTo === null ? null : foreign(replyTo)],
    ['To', mailboxes(to, 'to')],
    ['Cc', mailboxes(cc, 'cc')],
    ['Send at', scheduledAt === null ? null : formatTime(scheduledAt, zone)],
    ['Adds', unsubscribe ? 'A one-click unsubscribe link for each recipient' : null],
    ['Headers', headers.length === 0 ? null : foreign(headers.join(', '))],
  ]);
}

function blindCopies(bcc: Some): Node | null {
  if (bcc.count === 0) return null;
  const title = bcc.count === 1 ? 'A blind copy' : countOf(bcc.count, 'blind copy', 'blind copies');
  return element(
    'div',
    { class: 'notice warn' },
    element('strong', {}, `${title}, which the other recipients do not see:`),
    mailboxes(bcc, 'bcc'),
  );
}

function mailboxes({ items, count }: Some, key: string): Node | null {
  if (count === 0) return null;
  const lines = items.map((mailbox) => element('span', { class: 'line' }, foreign(mailbox)));
  const folded = lines.slice(SHOWN_MAILBOXES);
  const more = count - items.length;
  return element(
    'div',
    {},
    ...lines.slice(0, SHOWN_MAILBOXES),
    folded.length === 0
      ? null
      : element('details', { 'data-key': key }, element('summary', {}, `Show ${folded.length} more`), ...folded),
    more > 0 ? element('span', { class: 'line faint' }, `And ${more.toLocaleString('en-US')} more`) : null,
  );
}

function reasons({ reasons: sentences, progress }: HeldSendRecord): Node {
  const people = progress === null ? null : element('p', {}, progress);
  return part('Why it needs approval', element('ul', { class: 'bullets' }, ...sentences.map(item)), people);
}

function item(sentence: string): Node {
  return element('li', {}, sentence);
}

function message({ review, contentHash, subject: of }: HeldSendRecord): Node | null {
  if (contentHash === null)
    return part('Message', element('p', { class: 'soft' }, 'The key of this client may not read its content.'));
  const body = review?.body ?? null;
  if (body === null) return null;
  return part(
    'Message, as text',
    element('pre', { tabindex: '0', role: 'region', 'aria-label': `Text of ${of}`, dir: 'auto' }, body),
    review?.bodyIsCut === true
      ? element('p', { class: 'small faint' }, 'This is the beginning. The page shows all of it.')
      : null,
  );
}

function links(review: HeldSendRecord['review']): Node | null {
  if (review === null || review.linkCount === 0) return null;
  const rows = review.links.map(({ text, target }) =>
    element(
      'li',
      {},
      text === '' ? element('span', { class: 'faint' }, 'A picture, or no text') : quoted(text),
      element('span', { class: 'faint' }, ' opens '),
      foreignName(target, 'mono'),
    ),
  );
  const more = review.linkCount - rows.length;
  const rest = rows.slice(SHOWN_LINKS);
  return part(
    countOf(review.linkCount, 'link'),
    element('ul', { class: 'plain' }, ...rows.slice(0, SHOWN_LINKS)),
    rest.length === 0
      ? null
      : element(
          'details',
          { 'data-key': 'links' },
          element('summary', {}, `Show ${countOf(rest.length, 'more link')}`),
          element('ul', { class: 'plain' }, ...rest),
        ),
    more > 0 ? element('p', { class: 'small faint' }, `And ${countOf(more, 'more link')} on the page.`) : null,
  );
}

function quoted(text: string): Node {
  return element('span', {}, '“', foreign(text), '”');
}

function files(attachments: HeldSendRecord['attachments']): Node | null {
  if (attachments.length === 0) return null;
  const rows = attachments.map(({ filename, size }) =>
    element('li', {}, foreignName(filename, 'strong'), element('span', { class: 'faint' }, ` ${formatSize(size)}`)),
  );
  return part(countOf(attachments.length, 'attached file'), element('ul', { class: 'plain' }, ...rows));
}

function origin({ keyName, agentName, revision, contentHash }: HeldSendRecord): Node {
  return facts([
    ['Key', keyName === null ? null : foreign(keyName)],
    ['Agent', agentName === null ? null : foreign(agentName)],
    ['Revision', revision > 1 ? `${revision}, edited by an approver` : null],
    ['Content hash', contentHash === null ? null : element('span', { class: 'mono hash' }, contentHash)],
  ]);
}

function facts(rows: readonly (readonly [string, Node | string | null])[]): Node {
  const shown = rows.flatMap(([name, value]) =>
    value === null ? [] : [element('div', {}, element('dt', {}, name), element('dd', {}, value))],
  );
  return element('dl', { class: 'facts' }, ...shown);
}

function part(title: string, ...content: readonly (Node | null)[]): Node {
  return element('section', {}, element('h2', {}, title), ...content);
}
