import { isUtf8 } from 'node:buffer';
import {
  BACKSLASH,
  CLOSE,
  COLON,
  COMMA,
  ENDS_IN_BACKSLASH,
  endOfLiteral,
  endOfString,
  kindOf,
  LITERAL,
  OPEN,
  SPACE,
  STRING,
} from './json-bytes.ts';

/**
 * Builds the value of a JSON text from its bytes as they arrive, with the same result as `JSON.parse` for the whole. It
 * keeps neither the bytes nor the text, and blocks no longer than one piece takes.
 */
export interface JsonReader {
  /** @throws JsonTextError at the first byte that is not JSON. Keeps only copies from the piece. */
  read(piece: Buffer): void;
  /** The value. @throws JsonTextError if the text is incomplete. */
  end(): unknown;
}

export class JsonTextError extends Error {}

/** What may come next. */
const VALUE = 0;
const FIRST_ITEM = 1;
const FIRST_NAME = 2;
const NAME = 3;
const NAME_END = 4;
const VALUE_END = 5;
const NOTHING = 6;

type Container = unknown[] | Record<string, unknown>;

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LONGEST_ESCAPE = 6; // \uXXXX
const LONGEST_SEQUENCE = 4; // of UTF-8
const BYTE_ORDER_MARK = '\ufeff';
/** What a string contains besides literal characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON forbids.
const NOT_PLAIN = /[\\\u0000-\u001f]/;

/** Every open container has an index in this list. Depth and length of the text are already bounded. */
export function createJsonReader(): JsonReader {
  const open: Container[] = [];
  const names: string[] = [];
  /** The name of the next value. */
  let name = '';
  let next = VALUE;
  let root: unknown;
  /** The part read so far of a string or a literal that continues in the next piece. */
  let parts: string[] = [];
  let isInString = false;
  let literal = '';
  /** The bytes of a character or an escape that continues in the next piece. */
  let rest = Buffer.alloc(0);
  let consumed = 0;

  function read(piece: Buffer): void {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = endOfCharacters(bytes);
    if (!isUtf8(bytes.subarray(0, end))) throw new JsonTextError('The body is not valid UTF-8.');
    let at = consumed === 0 && bytes.toString('utf8', 0, 3) === BYTE_ORDER_MARK ? 3 : 0;
    while (at < end) {
      const from = at;
      if (isInString) at = readString(bytes, at, end);
      else at = readToken(bytes, at, end);
      // An incomplete escape.
      if (at === from) break;
    }
    consumed += at;
    // A copy: the memory of the piece may be released.
    rest = Buffer.from(bytes.subarray(at));
  }

  function readToken(bytes: Buffer, at: number, end: number): number {
    const kind = kindOf(bytes, at);
    if (kind === LITERAL) {
      const after = Math.min(endOfLiteral(bytes, at), end);
      literal += bytes.toString('latin1', at, after);
      return after;
    }
    if (literal !== '') endLiteral(at);
    if (kind === SPACE) return at + 1;
    if (kind === STRING) {
      if (next !== VALUE && next !== FIRST_ITEM && next !== NAME && next !== FIRST_NAME) throw unexpected(at);
      isInString = true;
      return at + 1;
    }
    readStructure(kind, bytes[at] as number, at);
    return at + 1;
  }

  function readStructure(kind: number, byte: number, at: number): void {
    const container = open.at(-1);
    if (kind === OPEN) {
      if (next !== VALUE && next !== FIRST_ITEM) throw unexpected(at);
      names.push(name);
      open.push(byte === OPEN_OBJECT ? {} : []);
      next = byte === OPEN_OBJECT ? FIRST_NAME : FIRST_ITEM;
    } else if (kind === CLOSE) {
      const isEmpty = byte === CLOSE_OBJECT ? next === FIRST_NAME : next === FIRST_ITEM;
      const isMatch = container !== undefined && Array.isArray(container) === (byte !== CLOSE_OBJECT);
      if (!isMatch || !(isEmpty || next === VALUE_END)) throw unexpected(at);
      open.pop();
      name = names.pop() ?? '';
      next = VALUE;
      add(container, at);
    } else if (kind === COMMA && next === VALUE_END && container !== undefined) {
      next = Array.isArray(container) ? VALUE : NAME;
    } else if (kind === COLON && next === NAME_END) {
      next = VALUE;
    } else throw unexpected(at);
  }

  /** Continues reading a string, as far as the bytes contain complete escapes. */
  function readString(bytes: Buffer, at: number, end: number): number {
    const after = endOfString(end === bytes.length ? bytes : bytes.subarray(0, end), at);
    const to = after > 0 ? after - 1 : endOfEscapes(bytes, at, after === ENDS_IN_BACKSLASH ? end - 1 : end);
    if (to > at) parts.push(decode(bytes.toString('utf8', at, to), at));
    if (after < 0) return to;
    const text = parts.length === 1 ? (parts[0] as string) : parts.join('');
    parts = [];
    isInString = false;
    if (next === NAME || next === FIRST_NAME) {
      name = text;
      next = NAME_END;
    } else add(text, at);
    return after;
  }

  function decode(text: string, at: number): string {
    if (!NOT_PLAIN.test(text)) return text;
    try {
      return JSON.parse(`"${text}"`);
    } catch {
      throw new JsonTextError(
        `A string after byte ${consumed + at} has an escape or a character that JSON does not allow.`,
      );
    }
  }

  function endLiteral(at: number): void {
    const text = literal;
    literal = '';
    try {
      add(JSON.parse(text), at);
    } catch (error) {
      if (error instanceof JsonTextError) throw error;
      throw new JsonTextError(`The JSON text has an unknown word or number before byte ${consumed + at}.`);
    }
  }

  function add(value: unknown, at: number): void {
    if (next !== VALUE && next !== FIRST_ITEM) throw unexpected(at);
    const container = open.at(-1);
    next = VALUE_END;
    if (container === undefined) {
      root = value;
      next = NOTHING;
    } else if (Array.isArray(container)) container.push(value);
    else if (name !== '__proto__') container[name] = value;
    // An assignment would set the prototype.
    else Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true });
  }

  function unexpected(at: number): JsonTextError {
    return new JsonTextError(`The JSON text has an unexpected character at byte ${consumed + at}.`);
  }

  function finish(): unknown {
    if (rest.length > 0 && !isUtf8(rest)) throw new JsonTextError('The body is not valid UTF-8.');
    if (literal !== '') endLiteral(0);
    if (next !== NOTHING || isInString || rest.length > 0) throw new JsonTextError('The JSON text is incomplete.');
    return root;
  }

  return { read, end: finish };
}

/** The end of the last complete character. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back < LONGEST_SEQUENCE && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The end of the last complete escape. `start` is not within one, and only the last one before `end` may be incomplete. */
function endOfEscapes(bytes: Buffer, start: number, end: number): number {
  for (let at = Math.max(start, end - LONGEST_ESCAPE + 1); at < end - 1; at += 1) {
    if (bytes[at] !== BACKSLASH || bytes[at + 1] !== 0x75) continue;
    let first = at;
    while (first > start && bytes[first - 1] === BACKSLASH) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return end;
}
