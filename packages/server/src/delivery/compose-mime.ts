import { hash } from 'node:crypto';
import { encodeText } from './mime-body.ts';
import {
  formatAddressHeader,
  formatCustomHeader,
  formatTextHeader,
  HeaderRefusedError,
  type Mailbox,
} from './mime-header.ts';

export type { Mailbox };

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
  const { header, body } = composeContent(message);
  return {
    header: `${composeHeader(message)}MIME-Version: 1.0\r\n${header}`,
    body: body === '' || body.endsWith('\r\n') ? body : `${body}\r\n`,
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
 * A body part with its own header lines. Parts nest: attachments become leaves of a multipart/mixed or /related around
 * the part that composeContent makes.
 */
interface MimePart {
  /** The Content-* lines, each with its CRLF. */
  readonly header: string;
  /** Without a closing CRLF of its own: inside a multipart that CRLF belongs to the boundary (RFC 2046 §5.1.1). */
  readonly body: string;
}

function composeContent(message: MimeMessage): MimePart {
  const { text, html } = message;
  if (html === null || (html === '' && text !== null)) return textPart('plain', text ?? '');
  if (text === null || text === '') return textPart('html', html);
  // RFC 2046 §5.1.4: the plainest alternative comes first.
  return multipart('alternative', [textPart('plain', text), textPart('html', html)], message.boundarySeed, '\r\n');
}

function textPart(subtype: 'plain' | 'html', text: string): MimePart {
  const { encoding, content } = encodeText(text);
  return {
    header: `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`,
    body: content,
  };
}

/**
 * @param end what follows the last boundary: a CRLF where this part is the whole body. It is put in here since a body that
 *   grows later is copied again.
 */
function multipart(subtype: 'alternative', parts: readonly MimePart[], seed: string, end: '' | '\r\n'): MimePart {
  const boundary = chooseBoundary(parts, `${subtype}\n${seed}`);
  const pieces: string[] = [];
  for (const part of parts) pieces.push(`--${boundary}\r\n${part.header}\r\n`, part.body, '\r\n');
  pieces.push(`--${boundary}--${end}`);
  return {
    header: `Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n`,
    // Joined, not added up: everything that reads the body would first have to put the sum into one piece.
    body: pieces.join(''),
  };
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
  } while (parts.some((part) => part.body.includes(boundary)));
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
