/** What a byte of a JSON text means outside strings. What is not JSON counts as part of a literal: who parses that refuses it. */
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

/** What `endOfString` returns where the bytes end before the string does. */
const GOES_ON = -1;
export const ENDS_IN_BACKSLASH = -2;

/** Bytes of a string looked at one by one before the search for its end is left to the faster search of the runtime. */
const SHORT_STRING = 64;

export function kindOf(bytes: Uint8Array, at: number): number {
  return KINDS[bytes[at] as number] as number;
}

/** Where the bytes behind a string begin; GOES_ON or ENDS_IN_BACKSLASH where these end before it does. */
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
      if (quote === -1) return isEscaped ? ENDS_IN_BACKSLASH : GOES_ON;
      if (!isEscaped) return quote + 1;
      // The bytes behind an escaped quote are looked at one by one again: where there are many, that is faster.
      at = quote + 1;
    }
  }
  return at > chunk.length ? ENDS_IN_BACKSLASH : GOES_ON;
}

/** Whether an odd number of backslashes precedes `end`. */
function hasOddBackslashes(chunk: Uint8Array, start: number, end: number): boolean {
  let at = end;
  while (at > start && chunk[at - 1] === BACKSLASH) at -= 1;
  return (end - at) % 2 === 1;
}

/** Where the bytes behind a number, a word or anything else that is neither space nor structure begin. */
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
