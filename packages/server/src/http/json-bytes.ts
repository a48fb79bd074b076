/** The meaning of a byte of JSON text outside strings. Invalid bytes count as part of a literal, which the parser then rejects. */
export const SPACE = 0;
export const LITERAL = 1;
export const OPEN = 2;
export const CLOSE = 3;
export const COMMA = 4;
export const COLON = 5;
export const STRING = 6;
const KINDS = kindsOfBytes();

export const BACKSLASH = 0x5c;
const QUOTE = 0x22;

/** What `endOfString` returns if the bytes end before the string does. */
const CONTINUES = -1;
export const ENDS_IN_BACKSLASH = -2;

/** How many bytes of a string are checked one by one before using the runtime's faster search. */
const SHORT_STRING = 64;

export function kindOf(bytes: Uint8Array, at: number): number {
  return KINDS[bytes[at] as number] as number;
}

/** The index after the string; CONTINUES or ENDS_IN_BACKSLASH if the bytes end before it does. */
export function endOfString(chunk: Uint8Array, start: number): number {
  let at = start;
  while (at < chunk.length) {
    const near = Math.min(at + SHORT_STRING, chunk.length);
    while (at < near && chunk[at] !== QUOTE && chunk[at] !== BACKSLASH) at += 1;
    if (at < near) {
      if (chunk[at] === QUOTE) return at + 1;
      at += 2;
    } else if (at < chunk.length) {
      const quote = chunk.indexOf(QUOTE, at);
      const end = quote === -1 ? chunk.length : quote;
      const isEscaped = hasOddBackslashes(chunk, at, end);
      if (quote === -1) return isEscaped ? ENDS_IN_BACKSLASH : CONTINUES;
      if (!isEscaped) return quote + 1;
      // After an escaped quote, bytes are checked one by one again, which is faster if there are many.
      at = quote + 1;
    }
  }
  return at > chunk.length ? ENDS_IN_BACKSLASH : CONTINUES;
}

/** Whether an odd number of backslashes precedes `end`. */
function hasOddBackslashes(chunk: Uint8Array, start: number, end: number): boolean {
  let at = end;
  while (at > start && chunk[at - 1] === BACKSLASH) at -= 1;
  return (end - at) % 2 === 1;
}

/** The index after a number, a word or anything else that is neither white space nor structure. */
export function endOfLiteral(chunk: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < chunk.length && kindOf(chunk, at) === LITERAL) at += 1;
  return at;
}

function kindsOfBytes(): Uint8Array {
  const kinds = new Uint8Array(256).fill(LITERAL);
  const set = (characters: string, kind: number) => {
    for (const character of characters) kinds[character.charCodeAt(0)] = kind;
  };
  set(' \t\r\n', SPACE);
  set('"', STRING);
  set('[{', OPEN);
  set(']}', CLOSE);
  set(',', COMMA);
  set(':', COLON);
  return kinds;
}
