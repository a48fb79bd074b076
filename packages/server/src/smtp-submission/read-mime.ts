import { MessageFault } from './message-fault.ts';
import {
  createHeaderAllowance,
  findField,
  type HeaderAllowance,
  type HeaderField,
  readHeaderFields,
} from './read-header-fields.ts';
import { type ParameterizedValue, readParameters } from './read-parameters.ts';

/** The structure of a message, or of one of its parts (RFC 2045, RFC 2046). Nothing is decoded yet. */
export interface MimePart {
  readonly fields: readonly HeaderField[];
  /** `type/subtype` in lowercase, with its parameters. */
  readonly contentType: ParameterizedValue;
  /** `attachment`, `inline` or another word in lowercase; empty if absent. */
  readonly disposition: ParameterizedValue;
  /** In lowercase, for example `base64`; empty if absent. */
  readonly transferEncoding: string;
  /** Without angle brackets; null if absent. */
  readonly contentId: string | null;
  /** Only in a leaf. */
  readonly body: Buffer;
  /** Only in a multipart. */
  readonly parts: readonly MimePart[];
}

/** Real mail nests about five levels deep and has about fifty parts. These limits bound the work for one message. */
const MAX_DEPTH = 20;
const MAX_PARTS = 500;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/**
 * Parses the structure of a message whose lines all end in CRLF.
 * @throws MessageFault
 */
export function readMime(raw: Buffer): MimePart {
  return readPart(raw, 'text/plain', 0, { parts: MAX_PARTS, headers: createHeaderAllowance() });
}

/** The remaining allowance for parts that are not read yet. */
interface Allowance {
  parts: number;
  readonly headers: HeaderAllowance;
}

function readPart(raw: Buffer, typeByDefault: string, depth: number, left: Allowance): MimePart {
  left.parts -= 1;
  if (depth > MAX_DEPTH || left.parts < 0)
    throw new MessageFault('body', 'has too many parts, or nests them too deeply');
  const { fields, body } = readHeaderFields(raw, left.headers);
  const read = (key: string) => findField(fields, key)?.value ?? '';
  const contentType = readParameters(read('content-type') || typeByDefault);
  if (!MEDIA_TYPE.test(contentType.value)) throw new MessageFault('Content-Type', 'is not a valid media type');
  const part = {
    fields,
    contentType,
    disposition: readParameters(read('content-disposition')),
    transferEncoding: readParameters(read('content-transfer-encoding')).value,
    contentId: read('content-id').replace(/^<|>$/g, '') || null,
  };
  if (!contentType.value.startsWith('multipart/')) return { ...part, body, parts: [] };
  const typeOfParts = contentType.value === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  const children = splitParts(body, contentType.parameters.get('boundary') ?? '');
  return {
    ...part,
    body: body.subarray(0, 0),
    parts: children.map((child) => readPart(child, typeOfParts, depth + 1, left)),
  };
}

/** RFC 2046 §5.1.1: the CRLF before a delimiter belongs to it. Text before the first delimiter and after the last is not a part. */
function splitParts(body: Buffer, boundary: string): readonly Buffer[] {
  if (boundary === '') throw new MessageFault('Content-Type', 'has no boundary');
  // Searched together with the line ending before it, because a delimiter may be repeated millions of times within a line.
  const delimiter = Buffer.from(`\n--${boundary}`);
  const parts: Buffer[] = [];
  let begin: number | null = null;
  for (let at = firstLine(body, delimiter); at !== null; at = nextLine(body, delimiter, at)) {
    const line = readDelimiter(body, at, delimiter.length - 1);
    if (line === null) continue;
    if (begin !== null) parts.push(body.subarray(begin, Math.max(begin, at - 2)));
    if (line.isLast) return parts;
    begin = line.end;
    if (parts.length > MAX_PARTS) break;
  }
  // A truncated message has no last delimiter; its parts are read anyway.
  if (begin !== null) parts.push(body.subarray(begin));
  if (parts.length === 0) throw new MessageFault('body', 'has none of the parts that its Content-Type announces');
  return parts;
}

/** The start of the first line that begins with the delimiter; null if there is none. */
function firstLine(body: Buffer, delimiter: Buffer): number | null {
  const bare = delimiter.subarray(1);
  return body.subarray(0, bare.length).equals(bare) ? 0 : nextLine(body, delimiter, 0);
}

function nextLine(body: Buffer, delimiter: Buffer, from: number): number | null {
  const lineEnd = body.indexOf(delimiter, from);
  return lineEnd === -1 ? null : lineEnd + 1;
}

/** Whether a whole line is the delimiter, and where the next line begins. */
function readDelimiter(
  body: Buffer,
  at: number,
  length: number,
): { readonly isLast: boolean; readonly end: number } | null {
  const isLast = body[at + length] === 0x2d && body[at + length + 1] === 0x2d;
  let end = at + length + (isLast ? 2 : 0);
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (end >= body.length) return { isLast, end };
  return body[end] === 0x0d && body[end + 1] === 0x0a ? { isLast, end: end + 2 } : null;
}
