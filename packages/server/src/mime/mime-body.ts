/** Content-Transfer-Encoding of a text part (RFC 2045 §6). 8bit is never used, because not every next hop supports 8BITMIME. */
type TransferEncoding = '7bit' | 'quoted-printable' | 'base64';

/** A text that is safe to send: pure ASCII, CRLF line endings, no line over 998 bytes. */
interface EncodedText {
  readonly encoding: TransferEncoding;
  /** Without a closing CRLF unless the text itself ends in a line break, so that a multipart preserves the text exactly. */
  readonly content: string;
}

/**
 * Encodes a text for sending. CR and LF in any combination count as line breaks. ASCII whose lines fit the 998 bytes of RFC 5322 §2.1.1 is
 * sent as is (7bit): the limit of 78 is advice for typed text, and wrapping generated HTML would cost bytes and readable source.
 * Everything else becomes quoted-printable or base64, whichever is smaller.
 */
export function encodeText(text: string): EncodedText {
  if (isSevenBit(text)) return { encoding: '7bit', content: toCrlf(text) };
  const lines = toCrlf(text);
  const bytes = Buffer.from(lines, 'utf8');
  const maxLength = base64Length(bytes.length);
  // Each UTF-8 byte beyond the number of UTF-16 units means at least 1.5 bytes to escape, and each escape adds two bytes.
  const leastQuotedLength = bytes.length + 3 * (bytes.length - lines.length);
  const quoted = leastQuotedLength > maxLength ? null : encodeQuotedPrintable(bytes, maxLength);
  if (quoted !== null) return { encoding: 'quoted-printable', content: quoted };
  return { encoding: 'base64', content: encodeBase64(bytes) };
}

/**
 * Base64 in lines of 76 (RFC 2045 §6.8), without a closing CRLF.
 */
export function encodeBase64(bytes: Buffer): string {
  const encoded = bytes.toString('base64');
  let lines = encoded.slice(0, ENCODED_LINE_LENGTH);
  for (let at = ENCODED_LINE_LENGTH; at < encoded.length; at += ENCODED_LINE_LENGTH) {
    lines += `\r\n${encoded.slice(at, at + ENCODED_LINE_LENGTH)}`;
  }
  return lines;
}

const ENCODED_LINE_LENGTH = 76;
const MAX_LINE_BYTES = 998;

function base64Length(byteCount: number): number {
  const characters = Math.ceil(byteCount / 3) * 4;
  return characters + 2 * Math.max(0, Math.ceil(characters / ENCODED_LINE_LENGTH) - 1);
}

function isSevenBit(text: string): boolean {
  // Only ASCII has as many UTF-8 bytes as UTF-16 units, and counting bytes is forty times faster than checking each one.
  if (Buffer.byteLength(text, 'utf8') !== text.length || text.includes('\0')) return false;
  let lineStart = 0;
  let lineEnd = text.indexOf('\n');
  while (lineEnd !== -1) {
    if (lineEnd - lineStart > MAX_LINE_BYTES && !fitsSplitAtCarriageReturns(text.slice(lineStart, lineEnd)))
      return false;
    lineStart = lineEnd + 1;
    lineEnd = text.indexOf('\n', lineStart);
  }
  return text.length - lineStart <= MAX_LINE_BYTES || fitsSplitAtCarriageReturns(text.slice(lineStart));
}

/** A CR counts neither as content (it may be half of the line's CRLF) nor, when bare, as part of the same line. */
function fitsSplitAtCarriageReturns(line: string): boolean {
  return line.split('\r').every((part) => part.length <= MAX_LINE_BYTES);
}

function toCrlf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?|\n/g, '\r\n') : text.replaceAll('\n', '\r\n');
}

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** Bytes that quoted-printable (RFC 2045 §6.7) leaves unchanged. White space only if it does not end the line. */
const LITERAL = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte >= SPACE && byte < 0x7f && byte !== EQUALS) || byte === TAB ? 1 : 0,
);

const UPPER_HEX = Buffer.from('0123456789ABCDEF', 'latin1');

/** The last column in which the "=" of a soft break may be. */
const SOFT_BREAK_COLUMN = ENCODED_LINE_LENGTH - 1;

/**
 * Quoted-printable of text whose line breaks are already CRLF, or null if it would be longer than `maxLength`. One pass
 * over the bytes: the inner loop copies unchanged bytes, and the rest handles the byte that stopped it.
 */
function encodeQuotedPrintable(bytes: Buffer, maxLength: number): string | null {
  // At most one line and one escape are written between two checks of the limit.
  const out = Buffer.allocUnsafe(maxLength + 2 * ENCODED_LINE_LENGTH);
  const end = bytes.length;
  let at = 0;
  let length = 0;
  let column = 0;
  while (at < end && length <= maxLength) {
    const runStart = at;
    const runEnd = Math.min(end, at + SOFT_BREAK_COLUMN - column);
    while (at < runEnd && LITERAL[byteAt(bytes, at)] === 1) out[length++] = byteAt(bytes, at++);
    column += at - runStart;
    if (at === end) break;
    const byte = byteAt(bytes, at);
    if (byte === CR) {
      length = escapeClosingBlank(out, length, column);
      out[length++] = CR;
      out[length++] = LF;
      column = 0;
      at += 2;
    } else if (LITERAL[byte] === 1 || column + 3 > SOFT_BREAK_COLUMN) {
      length = writeSoftBreak(out, length);
      column = 0;
    } else {
      length = writeEscape(out, length, byte);
      column += 3;
      at++;
    }
  }
  length = escapeClosingBlank(out, length, column);
  return length > maxLength ? null : out.toString('latin1', 0, length);
}

/** The calling loops stay within bounds. A check or a default here costs a tenth of the total time. */
function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}

/** White space at the end of a line would be lost in transit, so it must be encoded. */
function escapeClosingBlank(out: Buffer, length: number, column: number): number {
  if (column === 0) return length;
  const last = byteAt(out, length - 1);
  if (last !== SPACE && last !== TAB) return length;
  const escapeAt = column + 2 > SOFT_BREAK_COLUMN ? writeSoftBreak(out, length - 1) : length - 1;
  return writeEscape(out, escapeAt, last);
}

function writeSoftBreak(out: Buffer, length: number): number {
  out[length] = EQUALS;
  out[length + 1] = CR;
  out[length + 2] = LF;
  return length + 3;
}

function writeEscape(out: Buffer, length: number, byte: number): number {
  out[length] = EQUALS;
  out[length + 1] = byteAt(UPPER_HEX, byte >> 4);
  out[length + 2] = byteAt(UPPER_HEX, byte & 15);
  return length + 3;
}
