import { ENCODED_LINE_LIMIT, encodeWords } from './encoded-word.ts';

/**
 * How to write a value that is not plain ASCII: `extended` is RFC 2231, the standard; `encoded-word` puts RFC 2047 words
 * into quotes, which no RFC allows but every older client understands.
 */
export type ParameterForm = 'extended' | 'encoded-word';

/** A parameter of a Content-* header, with each line folded: the text after the preceding semicolon. */
export function formatParameter(name: string, value: string, form: ParameterForm): string {
  if (isPlain(value)) return `${FOLD}${name}="${value}"`;
  if (form === 'extended') return formatExtended(name, value);
  const words = encodeWords(value, 'phrase', ENCODED_LINE_LIMIT - name.length - ' ="";'.length);
  return `${FOLD}${name}="${words.join(FOLD)}"`;
}

const FOLD = '\r\n ';
/** A quoted value may be as long as a line (RFC 5322 §2.1.1), because many clients cannot join split values. */
const LONGEST_PLAIN = 255;

/** ASCII that every client reads the same way: some unescape quotes and backslashes, others decode `=?`. */
function isPlain(value: string): boolean {
  return value.length <= LONGEST_PLAIN && /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(value) && !value.includes('=?');
}

/** RFC 2231 §3 and §4: percent-encoded UTF-8, in numbered sections if it is longer than a line. */
function formatExtended(name: string, value: string): string {
  const whole = `${name}*=utf-8''${[...Buffer.from(value)].map(encodeByte).join('')}`;
  if (whole.length < ENCODED_LINE_LIMIT) return `${FOLD}${whole}`;
  const pieces: string[] = [];
  let piece = "utf-8''";
  for (const byte of Buffer.from(value)) {
    const encoded = encodeByte(byte);
    if (piece.length + encoded.length > PIECE_LENGTH) {
      pieces.push(piece);
      piece = '';
    }
    piece += encoded;
  }
  pieces.push(piece);
  return pieces.map((text, index) => `${FOLD}${name}*${index}*=${text}`).join(';');
}

/** The room on a line after the name, the section number and the punctuation. */
const PIECE_LENGTH = 58;

/** RFC 2231 §7, attribute-char. */
function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9!#$&+.^_`{|}~-]/.test(character)
    ? character
    : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
