import { hash } from 'node:crypto';
import { isReservedHeader } from '@postrider/core/reserved-headers';
import { hashContentNow } from '../approvals/holds/content-hash.ts';
import { escapeHtml } from '../html/page-markup.ts';
import type { Attachment, ComposedMessage } from '../mime/compose-mime.ts';
import { type ReadMailbox, readEncodedText, readMailboxes } from '../mime/read-header.ts';
import { type ReadFile, type ReadMime, readMime, UnreadableMimeError } from '../mime/read-mime.ts';
import type { ApprovedContent, MessageOrder } from './message-order.ts';
import { type AddedLinks, isSameBody } from './undo-links.ts';

/** Whether the stored content, which a message is composed from, has the approved hash. */
export function isAsApproved(order: MessageOrder, approved: ApprovedContent): boolean {
  return hashStored(order, approved) === approved.contentHash;
}

/**
 * Reads the bytes of a message back and compares them with the content that it was composed from, apart from what delivery adds. Returns
 * what differs; null if nothing does.
 */
export function findDifference(order: MessageOrder, composed: ComposedMessage): string | null {
  try {
    return compare(order, readMime(composed));
  } catch (error) {
    if (error instanceof UnreadableMimeError) return `the composed message (${error.message})`;
    throw error;
  }
}

/** The time of sending is the approved one: a change of it is a separate act with rules of its own, and not in the bytes. */
function hashStored({ content, attachments }: MessageOrder, { scheduledAt }: ApprovedContent): string {
  const { fromGiven: from, replyTo, recipients, subject, html, text, headers, unsubscribe } = content;
  return hashContentNow({
    ...{ from, replyTo, subject, html, text, unsubscribe, scheduledAt, headers: headers ?? {} },
    recipients: recipients.map(({ k: kind, n: name, e: email }) => ({ kind, name, email })),
    attachments: attachments.map(({ filename, contentType, contentId, content: bytes }) => {
      return { filename, contentType, contentId, digest: hash('sha256', bytes) };
    }),
  });
}

function compare(order: MessageOrder, mime: ReadMime): string | null {
  const checks: readonly (readonly [string, () => boolean])[] = [
    ['the sender', () => isSender(order, mime)],
    ['the visible recipients', () => areRecipients(order, mime)],
    ['the reply address', () => isReplyTo(order, mime)],
    ['the subject', () => isText(valuesOf(mime, 'subject'), order.content.subject)],
    ['the headers', () => areHeaders(order, mime)],
    ['the bodies', () => areBodies(order, mime)],
    ['the files', () => areFiles(order, mime.files)],
  ];
  return checks.find(([, isSame]) => !isSame())?.[0] ?? null;
}

function valuesOf({ headers }: ReadMime, name: string): readonly string[] {
  return headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
}

function isSender({ content, from }: MessageOrder, mime: ReadMime): boolean {
  const { messageId, fromDomain } = content;
  const [id, ...others] = valuesOf(mime, 'message-id');
  // The domain decides who signs the message and receives its bounces.
  return (
    areMailboxes(valuesOf(mime, 'from'), [from]) &&
    from.address.toLowerCase().endsWith(`@${fromDomain.toLowerCase()}`) &&
    id === `<${messageId}@${fromDomain}>` &&
    others.length === 0
  );
}

function areRecipients({ content: { recipients } }: MessageOrder, mime: ReadMime): boolean {
  const of = (kind: string) =>
    recipients.filter(({ k }) => k === kind).map(({ n: name, e: address }) => ({ name, address }));
  const [to, cc] = [of('to'), of('cc')];
  if (valuesOf(mime, 'bcc').length > 0) return false;
  if (to.length === 0 && cc.length === 0) {
    return valuesOf(mime, 'to').join() === 'undisclosed-recipients:;' && valuesOf(mime, 'cc').length === 0;
  }
  return areMailboxes(valuesOf(mime, 'to'), to) && areMailboxes(valuesOf(mime, 'cc'), cc);
}

function isReplyTo({ replyTo }: MessageOrder, mime: ReadMime): boolean {
  // Otherwise it may be one of the sender's own headers.
  return replyTo.length === 0 || areMailboxes(valuesOf(mime, 'reply-to'), replyTo);
}

function areMailboxes(values: readonly string[], expected: readonly ReadMailbox[]): boolean {
  if (expected.length === 0) return values.length === 0;
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) return false;
  const read = readMailboxes(value);
  return (
    read?.length === expected.length &&
    expected.every(({ name, address }, index) => {
      const mailbox = read[index];
      return mailbox?.address === address && (mailbox.name ?? '') === trimmed(name ?? '');
    })
  );
}

/** White space around a header's text is not sent, and half a character has no UTF-8. */
function trimmed(text: string): string {
  const isBlank = (character: string | undefined) => character === ' ' || character === '\t';
  const whole = text.toWellFormed();
  let [start, end] = [0, whole.length];
  while (start < end && isBlank(whole[start])) start += 1;
  while (end > start && isBlank(whole[end - 1])) end -= 1;
  return whole.slice(start, end);
}

function isText([value, ...others]: readonly string[], expected: string): boolean {
  if (value === undefined || others.length > 0) return false;
  return value === trimmed(expected) || readEncodedText(value) === trimmed(expected);
}

const COMPOSED = new Set(['from', 'to', 'cc', 'subject', 'date', 'message-id', 'mime-version']);

/** The sender's own headers, and those of the unsubscribe link: exactly these, in this order. */
function areHeaders({ content, replyTo, unsubscribeUrl }: MessageOrder, mime: ReadMime): boolean {
  const isOwn = (name: string) => !COMPOSED.has(name) && !name.startsWith('content-');
  const isReplaced = (name: string) => name === 'reply-to' && replyTo.length > 0;
  const found = mime.headers.filter(([name]) => isOwn(name.toLowerCase()) && !isReplaced(name.toLowerCase()));
  const link = { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  const expected = Object.entries({ ...content.headers, ...(content.unsubscribe ? link : {}) }).filter(
    ([name]) => !isReservedHeader(name) && !isReplaced(name.toLowerCase()),
  );
  return (
    found.length === expected.length &&
    expected.every(([name, value], index) => found[index]?.[0] === name && isText([found[index][1]], value))
  );
}

function areBodies({ content, trackingUrls, unsubscribeUrl }: MessageOrder, { texts, files }: ReadMime): boolean {
  const { html, text, tracking } = content;
  const order = texts.map(({ subtype }) => subtype).join();
  if (!['plain', 'html', 'plain,html'].includes(order)) return false;
  // The last line of a message always ends, so one line break may be added.
  const isAlone = texts.length === 1 && files.length === 0;
  const isSame = (subtype: string, approved: string | null, added: AddedLinks) => {
    const delivered = texts.find((part) => part.subtype === subtype)?.text ?? '';
    const expected = withCrlf(approved ?? '');
    if (isSameBody(delivered, expected, added)) return true;
    return isAlone && delivered !== '' && isSameBody(delivered, `${expected}\r\n`, added);
  };
  const tracked = tracking === null || trackingUrls === null ? null : { plan: tracking, urls: trackingUrls };
  return (
    isSame('plain', text, { tracking: null, unsubscribeUrl }) &&
    isSame('html', html, {
      tracking: tracked,
      unsubscribeUrl: unsubscribeUrl === null ? null : escapeHtml(unsubscribeUrl),
    })
  );
}

function withCrlf(text: string): string {
  return text.toWellFormed().replace(/\r\n?|\n/g, '\r\n');
}

/** In the order of the parts: first those that the HTML shows. */
function areFiles({ content, attachments }: MessageOrder, files: readonly ReadFile[]): boolean {
  const hasHtml = content.html !== null && (content.html !== '' || content.text === null);
  const isShown = ({ contentId }: Attachment) => contentId !== null && hasHtml;
  const expected = [...attachments.filter(isShown), ...attachments.filter((file) => !isShown(file))];
  return (
    files.length === expected.length &&
    expected.every((file, index) => {
      const found = files[index];
      return found !== undefined && isSameFile(found, file);
    })
  );
}

function isSameFile(found: ReadFile, { filename, contentType, contentId, content }: Attachment): boolean {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  // A nested message that is not safe to send as it is becomes a file of unknown type.
  const types = type.startsWith('message/') ? [type, 'application/octet-stream'] : [type];
  return (
    found.filename === filename &&
    found.contentId === contentId &&
    types.includes(found.type) &&
    found.content.equals(content)
  );
}
