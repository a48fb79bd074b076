import { readUnfolded } from './read-header.ts';

/** A composed message, read back. */
export interface ReadMime {
  /** Unfolded, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The bodies, with line breaks as CRLF. */
  readonly texts: readonly { readonly subtype: string; readonly text: string }[];
  readonly files: readonly ReadFile[];
}

export interface ReadFile {
  readonly filename: string;
  /** Type and subtype in lower case. */
  readonly type: string;
  readonly contentId: string | null;
  readonly content: Buffer;
}

/** The bytes are not a message that `composeMime` writes. */
export class UnreadableMimeError extends Error {
  override readonly name = 'UnreadableMimeError';
}

/**
 * Reads a message as receivers do (RFC 2045 to 2047, RFC 2231), but strictly: everything that the composer does not write is an error. It
 * shares no code with the composer, so that a fault of one does not hide in the other.
 * @throws UnreadableMimeError
 */
export function readMime({ header, body }: { readonly header: string; readonly body: string }): ReadMime {
  const headers = readHeaderLines(header);
  const texts: ReadMime['texts'][number][] = [];
  const files: ReadFile[] = [];
  const readPart = (own: ReadMime['headers'], content: string) => {
    const type = only(own, 'content-type') ?? '';
    const disposition = only(own, 'content-disposition');
    const [essence = ''] = type.split(';', 1);
    if (disposition === null && /^multipart\//.test(essence)) {
      for (const part of splitParts(content, MULTIPART.exec(type)?.[1] ?? '')) {
        const end = part.indexOf('\r\n\r\n');
        if (end === -1) throw new UnreadableMimeError('a part has no end of its header');
        readPart(readPartHeader(part.slice(0, end + 2)), part.slice(end + 4));
      }
      return;
    }
    const bytes = decodeBody(content, only(own, 'content-transfer-encoding') ?? '');
    if (disposition === null) {
      const subtype = /^text\/(plain|html); charset=utf-8$/.exec(type)?.[1];
      if (subtype === undefined) throw new UnreadableMimeError(`a body has the type ${type}`);
      texts.push({ subtype, text: bytes.toString('utf8') });
    } else {
      const id = only(own, 'content-id');
      files.push({
        ...{ filename: readFilename(disposition), type: essence.toLowerCase(), content: bytes },
        contentId: id === null ? null : id.replace(/^<(.*)>$/, '$1'),
      });
    }
  };
  readPart(headers, body);
  return { headers, texts, files };
}

const MULTIPART =
  /^multipart\/(?:mixed|alternative|related; type="(?:text\/html|multipart\/alternative)"); boundary="([^"]+)"$/;

function readHeaderLines(header: string): ReadMime['headers'] {
  return readUnfolded(header).map((line) => {
    const colon = line.indexOf(':');
    if (colon < 1) throw new UnreadableMimeError('a header line has no name');
    return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
  });
}

const PART_HEADERS = new Set(['Content-Type', 'Content-Transfer-Encoding', 'Content-Disposition', 'Content-ID']);

function readPartHeader(header: string): ReadMime['headers'] {
  const headers = readHeaderLines(header);
  const other = headers.find(([name]) => !PART_HEADERS.has(name));
  if (other !== undefined) throw new UnreadableMimeError('a part has an unknown header');
  return headers;
}

/** The value of a header that may occur once; null if it is absent. */
function only(headers: ReadMime['headers'], name: string): string | null {
  const [first, ...others] = headers.filter(([key]) => key.toLowerCase() === name);
  if (others.length > 0) throw new UnreadableMimeError(`there are several headers ${name}`);
  return first?.[1] ?? null;
}

function splitParts(body: string, boundary: string): readonly string[] {
  const delimiter = `\r\n--${boundary}`;
  if (boundary === '' || !body.startsWith(`${delimiter.slice(2)}\r\n`))
    throw new UnreadableMimeError('parts are missing');
  const parts: string[] = [];
  for (let start = delimiter.length; ; ) {
    const end = body.indexOf(delimiter, start);
    if (end === -1) throw new UnreadableMimeError('the last boundary is missing');
    parts.push(body.slice(start, end));
    start = end + delimiter.length;
    if (body.startsWith('--', start)) {
      if (!['', '\r\n'].includes(body.slice(start + 2)))
        throw new UnreadableMimeError('text follows the last boundary');
      return parts;
    }
    if (!body.startsWith('\r\n', start)) throw new UnreadableMimeError('a boundary is not alone on its line');
    start += 2;
  }
}

function decodeBody(content: string, encoding: string): Buffer {
  switch (encoding) {
    case '7bit':
      return Buffer.from(content, 'latin1');
    case 'quoted-printable':
      return Buffer.from(
        content
          .replaceAll('=\r\n', '')
          .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      );
    case 'base64': {
      const text = content.replaceAll('\r\n', '');
      const bytes = Buffer.from(text, 'base64');
      // The decoder skips what is not base64.
      if (bytes.toString('base64') !== text) throw new UnreadableMimeError('a part is not base64');
      return bytes;
    }
    default:
      throw new UnreadableMimeError(`a part has the encoding ${encoding}`);
  }
}

function readFilename(disposition: string): string {
  if (!/^(?:inline|attachment);/.test(disposition)) throw new UnreadableMimeError('a file has an unknown disposition');
  const plain = /^\w+; *filename="([^"\\]*)"$/.exec(disposition)?.[1];
  if (plain !== undefined) return plain;
  const pieces = [...disposition.matchAll(/; *filename\*(?:\d+\*)?=([^;]*)/g)].map(([, text = '']) => text);
  const text = pieces.join('');
  if (!text.startsWith("utf-8''")) throw new UnreadableMimeError('a file has no name');
  return decodeURIComponent(text.slice("utf-8''".length));
}
