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

/** The content of a message, already checked and rendered. Blind copies are not included: they are only in the envelope. */
export interface MimeMessage {
  /** Without angle brackets. */
  readonly messageId: string;
  readonly date: Date;
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  /** The sender's own headers, in order. Names that the composer writes itself are rejected. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Absent means none. */
  readonly attachments?: readonly Attachment[];
  /** The same for each attempt of a message, so that it always composes to the same bytes. */
  readonly boundarySeed: string;
}

/** A message ready to send, in two parts so that signature headers can be prepended. Pure ASCII, CRLF. */
export interface ComposedMessage {
  /** CRLF-terminated header lines without the blank line after them. */
  readonly header: string;
  /** Empty, or ending in CRLF. */
  readonly body: string;
}

/**
 * Composes a message (RFC 5322, RFC 2045–2047). The same input gives the same bytes. An empty text or html part next to
 * the other counts as absent: an empty alternative would show a blank message in clients that prefer it.
 * @throws HeaderRefusedError if a value is not allowed in a header (CR, LF, NUL), or the sender may not set a custom
 *   header.
 */
export function composeMime(message: MimeMessage): ComposedMessage {
  const { header, pieces } = composeContent(message);
  const last = pieces.at(-1) ?? '';
  // The closing CRLF is added before the join, because extending the body later would copy it again.
  const end = last.endsWith('\r\n') || (last === '' && pieces.length === 1) ? '' : '\r\n';
  return {
    header: `${composeHeader(message)}MIME-Version: 1.0\r\n${header}`,
    // Joined instead of concatenated: every reader of a concatenated string would first have to flatten it.
    body: pieces.length === 1 && end === '' ? last : [...pieces, end].join(''),
  };
}

/** The bytes of a whole message: signature headers (each ending in CRLF), the header, the blank line, the body. */
export function joinMessage({ header, body }: ComposedMessage, signatureHeaders: readonly string[]): Buffer {
  const head = `${signatureHeaders.join('')}${header}\r\n`;
  // Written separately: a concatenated string would first be copied into one piece.
  const message = Buffer.allocUnsafe(head.length + body.length);
  message.write(head, 0, 'latin1');
  message.write(body, head.length, 'latin1');
  return message;
}

/**
 * Attachments are next to the content (multipart/mixed). Files that the html shows are in one part with it
 * (multipart/related, RFC 2387). Without html, an inline file has nothing to relate to and becomes an ordinary
 * attachment.
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
  // RFC 2046 §5.1.4: the plainest alternative is first.
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

/** RFC 2387 §3.1 requires the type of the root part. */
function rootType(subtype: string, [root]: readonly MimePart[]): string {
  if (subtype !== 'related') return '';
  const [, type] = /^Content-Type: ([^;]+)/.exec(root?.header ?? '') ?? [];
  return ` type="${type}";\r\n`;
}

/**
 * A boundary that no part contains. "=_" cannot occur in quoted-printable or base64 (RFC 2045 §6.7 note 5), and 96 bits
 * of a hash rule out chance. The search rules out a 7bit part written by someone who knows the seed. 26 characters keep
 * the header line unfolded.
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
    if (isComposerHeader(key)) throw new HeaderRefusedError(name, 'must not be set by the sender');
    // RFC 5322 §3.6 allows one Reply-To, and the message's own field takes precedence. A stored header that became
    // reserved later is left out.
    if (isReservedHeader(key)) continue;
    if (key !== 'reply-to' || message.replyTo.length === 0) header += formatCustomHeader(name, value);
  }
  return header;
}

/** A message with only blind copies uses the empty group of RFC 5322 §3.4: filters count a missing To as a sign of spam. */
function formatDestinations({ to, cc }: MimeMessage): string {
  if (to.length === 0 && cc.length === 0) return 'To: undisclosed-recipients:;\r\n';
  return (to.length > 0 ? formatAddressHeader('To', to) : '') + (cc.length > 0 ? formatAddressHeader('Cc', cc) : '');
}

/** RFC 5322 §3.3. toUTCString has this format except for the zone name, which is obsolete. */
function formatDate(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new HeaderRefusedError('Date', 'is not a valid date');
  return `${date.toUTCString().slice(0, -'GMT'.length)}+0000`;
}

function checkMessageId(messageId: string): string {
  if (!/^[!-;=?-~]{1,900}$/.test(messageId)) throw new HeaderRefusedError('Message-ID', 'is not a valid message id');
  return messageId;
}

/** A duplicate of one of these would let a reader and a signature check see different messages. Bcc would reveal its recipients. */
const COMPOSER_HEADERS = new Set(['from', 'to', 'cc', 'bcc', 'subject', 'date', 'message-id', 'mime-version']);

function isComposerHeader(key: string): boolean {
  return COMPOSER_HEADERS.has(key) || key.startsWith('content-');
}
