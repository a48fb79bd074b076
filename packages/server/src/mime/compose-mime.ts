import { hash } from 'node:crypto';
import { isReservedHeader } from '@postrider/core/reserved-headers';
import { type Attachment, attachmentParts } from './mime-attachment.ts';
import { encodeText } from './mime-body.ts';
import {
  formatAddressHeader,
  formatCustomHeader,
  formatTextHeader,
  HeaderRefusedError,
  type Mailbox,
} from './mime-header.ts';
import type { MimePart } from './mime-part.ts';

export type { Attachment, Mailbox };

/** Everything a message says, already checked and rendered. Blind copies are no part of it: they live in the envelope. */
export interface MimeMessage {
  /** Without its angle brackets. */
  readonly messageId: string;
  readonly date: Date;
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  /** The sender's own headers, in order. Names that the composer writes itself are refused. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Absent for none. */
  readonly attachments?: readonly Attachment[];
  /** Stable per message, so that it composes to the same bytes on every attempt. */
  readonly boundarySeed: string;
}

/** A message ready for the wire, in two halves so that signature headers can be put in front. Pure ASCII, CRLF. */
export interface ComposedMessage {
  /** CRLF-terminated header lines without the blank line that ends them. */
  readonly header: string;
  /** Empty, or ending in CRLF. */
  readonly body: string;
}

/**
 * Composes a message (RFC 5322, RFC 2045–2047). The same input gives the same bytes. An empty text or html beside the
 * other counts as none: an empty alternative would show a blank message to whoever prefers it.
 * @throws HeaderRefusedError where a value cannot stand in a header (CR, LF, NUL), or a custom header is not the
 *   sender's to set.
 */
export function composeMime(message: MimeMessage): ComposedMessage {
  const { header, pieces } = composeContent(message);
  const last = pieces.at(-1) ?? '';
  // The closing CRLF is put in before the join: a body that grows later is copied again.
  const end = last.endsWith('\r\n') || (last === '' && pieces.length === 1) ? '' : '\r\n';
  return {
    header: `${composeHeader(message)}MIME-Version: 1.0\r\n${header}`,
    // Joined, not added up: everything that reads the body would first have to put the sum into one piece.
    body: pieces.length === 1 && end === '' ? last : [...pieces, end].join(''),
  };
}

/**
 * The bytes of a whole message: signature headers (each ending in CRLF) first, then the header, the blank line, the body.
 */
export function joinMessage({ header, body }: ComposedMessage, signatureHeaders: readonly string[]): Buffer {
  const head = `${signatureHeaders.join('')}${header}\r\n`;
  // Written apart: a text put together of both would first be copied into one piece.
  const message = Buffer.allocUnsafe(head.length + body.length);
  message.write(head, 0, 'latin1');
  message.write(body, head.length, 'latin1');
  return message;
}

/**
 * Files stand beside what they come with (multipart/mixed); what the html shows stands in one part with it (multipart/related, RFC 2387).
 * An inline file has nothing to be related to where there is no html, and is a file like others then.
 */
function composeContent(message: MimeMessage): MimePart {
  const { attachments = [], boundarySeed: seed } = message;
  const text = composeText(message);
  if (attachments.length === 0) return text;
  const isRelated = ({ contentId }: Attachment) => contentId !== null && hasHtml(message);
  const related = attachments.filter(isRelated);
  const mixed = attachments.filter((attachment) => !isRelated(attachment));
  const root = related.length === 0 ? text : multipart('related', [text, ...attachmentParts(related)], seed);
  return mixed.length === 0 ? root : multipart('mixed', [root, ...attachmentParts(mixed)], seed);
}

function composeText(message: MimeMessage): MimePart {
  const { text, html } = message;
  if (html === null || !hasHtml(message)) return textPart('plain', text ?? '');
  if (text === null || text === '') return textPart('html', html);
  // RFC 2046 §5.1.4: the plainest alternative comes first.
  return multipart('alternative', [textPart('plain', text), textPart('html', html)], message.boundarySeed);
}

/** Whether the message has an html part. */
function hasHtml({ text, html }: MimeMessage): boolean {
  return html !== null && (html !== '' || text === null);
}

function textPart(subtype: 'plain' | 'html', text: string): MimePart {
  const { encoding, content } = encodeText(text);
  return {
    header: `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`,
    pieces: [content],
  };
}

function multipart(subtype: 'alternative' | 'related' | 'mixed', parts: readonly MimePart[], seed: string): MimePart {
  const boundary = chooseBoundary(parts, `${subtype}\n${seed}`);
  const pieces: string[] = [];
  for (const part of parts) pieces.push(`--${boundary}\r\n${part.header}\r\n`, ...part.pieces, '\r\n');
  pieces.push(`--${boundary}--`);
  return {
    header: `Content-Type: multipart/${subtype};${rootType(subtype, parts)} boundary="${boundary}"\r\n`,
    pieces,
  };
}

/** RFC 2387 §3.1 wants the type of the part that the others belong to. */
function rootType(subtype: string, [root]: readonly MimePart[]): string {
  if (subtype !== 'related') return '';
  const [, type] = /^Content-Type: ([^;]+)/.exec(root?.header ?? '') ?? [];
  return ` type="${type}";\r\n`;
}

/**
 * A boundary that no part contains. "=_" cannot occur in quoted-printable or base64 (RFC 2045 §6.7 note 5); 96 bits of
 * a hash keep chance away; and the search keeps away a 7bit part written by someone who knows the seed. 26 characters
 * leave the header line unfolded.
 */
function chooseBoundary(parts: readonly MimePart[], seed: string): string {
  let boundary = '';
  let attempt = 0;
  do {
    boundary = `=_${hash('sha256', `${attempt++}\n${seed}`, 'hex').slice(0, 24)}`;
  } while (parts.some(({ pieces }) => pieces.some((piece) => piece.includes(boundary))));
  return boundary;
}

function composeHeader(message: MimeMessage): string {
  let header = formatAddressHeader('From', [message.from]);
  header += formatDestinations(message);
  if (message.replyTo.length > 0) header += formatAddressHeader('Reply-To', message.replyTo);
  header += formatTextHeader('Subject', message.subject);
  header += `Date: ${formatDate(message.date)}\r\n`;
  header += `Message-ID: <${checkMessageId(message.messageId)}>\r\n`;
  for (const [name, value] of message.headers) {
    const key = name.toLowerCase();
    if (isComposerHeader(key)) throw new HeaderRefusedError(name, 'is not for the sender to set');
    // RFC 5322 §3.6 allows one Reply-To; the message's own is the more deliberate one.
    // What was stored before a header became reserved is sent without it.
    if (isReservedHeader(key)) continue;
    if (key !== 'reply-to' || message.replyTo.length === 0) header += formatCustomHeader(name, value);
  }
  return header;
}

/** A message to blind copies alone names the empty group of RFC 5322 §3.4: filters count a missing To as a sign of spam. */
function formatDestinations({ to, cc }: MimeMessage): string {
  if (to.length === 0 && cc.length === 0) return 'To: undisclosed-recipients:;\r\n';
  return (to.length > 0 ? formatAddressHeader('To', to) : '') + (cc.length > 0 ? formatAddressHeader('Cc', cc) : '');
}

/** RFC 5322 §3.3. toUTCString has this very form but for the name of the zone, which is obsolete there. */
function formatDate(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new HeaderRefusedError('Date', 'is no date');
  return `${date.toUTCString().slice(0, -'GMT'.length)}+0000`;
}

function checkMessageId(messageId: string): string {
  if (!/^[!-;=?-~]{1,900}$/.test(messageId)) throw new HeaderRefusedError('Message-ID', 'is no message id');
  return messageId;
}

/** A second one of these would let a reader and a signature check see different messages; Bcc would betray its readers. */
const COMPOSER_HEADERS = new Set(['from', 'to', 'cc', 'bcc', 'subject', 'date', 'message-id', 'mime-version']);

function isComposerHeader(key: string): boolean {
  return COMPOSER_HEADERS.has(key) || key.startsWith('content-');
}
