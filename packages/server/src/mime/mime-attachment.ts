import { isAscii, isUtf8 } from 'node:buffer';
import { encodeBase64 } from './mime-body.ts';
import { formatParameter } from './mime-parameter.ts';
import type { MimePart } from './mime-part.ts';

/** A file of a message. Its name and types are already checked. */
export interface Attachment {
  readonly filename: string;
  /** Type and subtype, with parameters if it has any. */
  readonly contentType: string;
  /** Set if the html shows the file. Without angle brackets. */
  readonly contentId: string | null;
  readonly content: Uint8Array;
}

/** Encodes each file as a separate part. Its bytes are unchanged: base64 for every type, including text. */
export function attachmentParts(attachments: readonly Attachment[]): readonly MimePart[] {
  return attachments.map(attachmentPart);
}

function attachmentPart({ filename, contentType, contentId, content }: Attachment): MimePart {
  const { type, isPlain } = typeOf(contentType, content);
  // Most clients show an inline text file as an additional body, and not where the html references it.
  const isInline = contentId !== null && !/^(?:text\/(?:plain|html)|message\/)/i.test(contentType);
  return {
    header:
      // The name is written twice: in the disposition as RFC 2231 defines it, and in the type for older clients.
      `Content-Type: ${type};${formatParameter('name', filename, 'encoded-word')}\r\n` +
      `Content-Transfer-Encoding: ${isPlain ? '7bit' : 'base64'}\r\n` +
      `Content-Disposition: ${isInline ? 'inline' : 'attachment'};${formatParameter('filename', filename, 'extended')}\r\n` +
      (contentId === null ? '' : `Content-ID: <${contentId}>\r\n`),
    pieces: [isPlain ? bytesOf(content).toString('latin1') : encodeBase64(bytesOf(content))],
  };
}

/**
 * The Content-Type as written in the header. A nested message may not be encoded (RFC 2046 §5.2.1): it is included as is
 * if it is safe to send, and otherwise as a file of unknown type, because its bytes matter more than its type.
 */
function typeOf(contentType: string, content: Uint8Array): { readonly type: string; readonly isPlain: boolean } {
  const type = withoutName(contentType);
  if (/^message\//i.test(type)) {
    const isPlain = isWireText(content);
    return { type: isPlain ? type : 'application/octet-stream', isPlain };
  }
  // Without a charset, a client assumes US-ASCII (RFC 2045 §5.2) or guesses.
  const isUnnamedText = /^text\//i.test(type) && !/;\s*charset\s*=/i.test(type) && isUtf8(content);
  return { type: isUnnamedText ? `${type}; charset=utf-8` : type, isPlain: false };
}

/** The name is rewritten: a second name could mean something else to other clients. */
function withoutName(contentType: string): string {
  return contentType.replace(/ *; *name(?:\*[\d*]*)?=(?:"[^"]*"|[^;\s]*)/gi, '');
}

/** ASCII without NUL, in lines of at most 998 bytes that all end in CRLF. */
function isWireText(content: Uint8Array): boolean {
  const bytes = bytesOf(content);
  if (!isAscii(bytes) || bytes.includes(0)) return false;
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf('\r\n', start, 'latin1');
    if (end === -1 || end - start > MAX_LINE_BYTES) return false;
    if (bytes.subarray(start, end).includes(CR) || bytes.subarray(start, end).includes(LF)) return false;
    start = end + 2;
  }
  return true;
}

const CR = 0x0d;
const LF = 0x0a;
const MAX_LINE_BYTES = 998;

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
