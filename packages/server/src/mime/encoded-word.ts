/** Where an encoded word is used: RFC 2047 §5 allows fewer literal characters within a display name (a phrase). */
type EncodedWordPosition = 'text' | 'phrase';

/** RFC 2047 §2: an encoded word is at most 75 characters, and its line at most 76. */
export const ENCODED_LINE_LIMIT = 76;
export const ENCODED_WORD_LIMIT = 75;
/** A first word needs room for its delimiters and the longest escaped character. With less room it starts on a new line. */
export const SHORTEST_USEFUL_WORD = 30;

/**
 * Encodes a text as RFC 2047 words in UTF-8, to be joined by folding white space, which a reader drops between words.
 * Each word is at most 75 characters, the first at most `firstLimit` (at least `SHORTEST_USEFUL_WORD`), and contains
 * only whole characters. Uses whichever of the Q and B encodings is shorter.
 */
export function encodeWords(text: string, position: EncodedWordPosition, firstLimit = ENCODED_WORD_LIMIT): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const forms = position === 'phrase' ? PHRASE_FORMS : TEXT_FORMS;
  const isBase64 = base64Length(bytes.length) < quotedLength(bytes, forms, 0, bytes.length);
  const words: string[] = [];
  let room = firstLimit - FRAME_LENGTH;
  let start = 0;
  let used = 0;
  for (let at = 0; at < bytes.length; ) {
    const next = at + sequenceLength(byteAt(bytes, at));
    const grown = isBase64 ? base64Length(next - start) : used + quotedLength(bytes, forms, at, next);
    if (grown > room && at > start) {
      words.push(encodeWord(bytes, forms, isBase64, start, at));
      start = at;
      used = 0;
      room = ENCODED_WORD_LIMIT - FRAME_LENGTH;
    } else {
      used = grown;
      at = next;
    }
  }
  words.push(encodeWord(bytes, forms, isBase64, start, bytes.length));
  return words;
}

const FRAME_LENGTH = '=?utf-8?Q??='.length;

/** What each byte becomes in the Q encoding (RFC 2047 §4.2), depending on whether it may appear literally. */
function quotedForms(isLiteral: RegExp): readonly string[] {
  return Array.from({ length: 256 }, (_, byte) => {
    if (byte === 0x20) return '_';
    const character = String.fromCharCode(byte);
    return isLiteral.test(character) ? character : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

const PHRASE_FORMS = quotedForms(/[A-Za-z0-9!*+/-]/);
const TEXT_FORMS = quotedForms(/[A-Za-z0-9!*+/,.:;'#$%&~|{}^-]/);

function encodeWord(bytes: Buffer, forms: readonly string[], isBase64: boolean, start: number, end: number): string {
  if (isBase64) return `=?utf-8?B?${bytes.toString('base64', start, end)}?=`;
  let word = '=?utf-8?Q?';
  for (let at = start; at < end; at++) word += formOf(bytes, forms, at);
  return `${word}?=`;
}

function quotedLength(bytes: Buffer, forms: readonly string[], start: number, end: number): number {
  let length = 0;
  for (let at = start; at < end; at++) length += formOf(bytes, forms, at).length;
  return length;
}

function base64Length(byteCount: number): number {
  return Math.ceil(byteCount / 3) * 4;
}

/** The length in bytes of the UTF-8 character that starts with a lead byte. The input is from Node's encoder and is well formed. */
function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

function formOf(bytes: Buffer, forms: readonly string[], at: number): string {
  return forms[byteAt(bytes, at)] ?? '';
}

function byteAt(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}
