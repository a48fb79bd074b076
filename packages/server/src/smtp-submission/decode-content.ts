import { LIMITS } from '@postrider/core';
import { MessageFault } from './message-fault.ts';
import type { MimePart } from './read-mime.ts';

/**
 * The bytes of a leaf after transfer decoding (RFC 2045 §6).
 * @throws MessageFault if the encoding is unknown
 */
export function decodeBytes({ transferEncoding, body }: MimePart): Buffer {
  switch (transferEncoding) {
    case '':
    case '7bit':
    case '8bit':
    case 'binary':
      return body;
    case 'base64':
      // RFC 2045 §6.8: all characters outside the alphabet are skipped, such as line endings.
      return Buffer.from(body.toString('latin1'), 'base64');
    case 'quoted-printable':
      return decodeQuotedPrintable(body);
    default:
      throw new MessageFault('Content-Transfer-Encoding', `${JSON.stringify(transferEncoding)} is unknown`);
  }
}

/** No text within the limit has more: in UTF-16 with CRLF, four bytes become one. Larger content is rejected without decoding. */
const MAX_TEXT_BYTES = 4 * LIMITS.bodyBytes;

/**
 * The text of a leaf, with LF line endings. Bytes that are invalid in its charset are rejected: recipients would read a
 * different text.
 * @throws MessageFault
 */
export function decodeText(part: MimePart): string {
  const bytes = decodeBytes(part);
  if (bytes.length > MAX_TEXT_BYTES) throw new MessageFault('body', `may have at most ${LIMITS.bodyBytes} bytes`);
  const charset = part.contentType.parameters.get('charset')?.trim().toLowerCase() || 'us-ascii';
  const text = decodeCharset(bytes, charset === 'us-ascii' || charset === 'ascii' ? 'utf-8' : charset);
  if (text.includes('\0')) throw new MessageFault('body', 'contains NUL characters');
  return text.replaceAll('\r\n', '\n');
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function decodeCharset(bytes: Buffer, charset: string): string {
  let decoder = UTF8;
  try {
    if (charset !== 'utf-8') decoder = new TextDecoder(charset, { fatal: true });
  } catch {
    throw new MessageFault('Content-Type', `uses the unknown charset ${JSON.stringify(charset.slice(0, 40))}`);
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw new MessageFault('body', `contains text that is not valid in its charset (${charset})`);
  }
}

function decodeQuotedPrintable(body: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    const high = byte === EQUALS ? nibbleOf(body[at + 1]) : -1;
    const low = byte === EQUALS ? nibbleOf(body[at + 2]) : -1;
    if (byte === EQUALS && body[at + 1] === 0x0d && body[at + 2] === 0x0a) {
      at += 2; // A soft line break.
    } else if (high >= 0 && low >= 0) {
      decoded[length] = high * 16 + low;
      length += 1;
      at += 2;
    } else {
      decoded[length] = byte;
      length += 1;
    }
  }
  return decoded.subarray(0, length);
}

const EQUALS = 0x3d;

function nibbleOf(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
