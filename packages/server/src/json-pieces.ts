/** A string of this length is serialized in less than a millisecond. */
const PIECE_CHARACTERS = 128 * 1024;

/** Whether the strings of a value are so long that it should be serialized in pieces. Stops as soon as the result is known. */
export function isLargeJson(value: unknown): boolean {
  return countCharacters(value, PIECE_CHARACTERS) > PIECE_CHARACTERS;
}

/** The approximate length of a value's JSON. Stops as soon as the result is more than `most`. */
export function countCharacters(value: unknown, most = Number.POSITIVE_INFINITY): number {
  return characterCount(value, 0, most);
}

/**
 * The output of `JSON.stringify` in pieces of bounded length. Other work can run between two pieces, and the whole text never has to be in
 * memory.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  let piece = '';
  for (const part of partsOf(value)) {
    piece += part;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function* partsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* partsOfText(value);
  else if (!isPlain(value) || !isLargeJson(value)) yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value)) yield* partsOfList(value);
  else yield* partsOfObject(value);
}

function* partsOfList(list: readonly unknown[]): Generator<string> {
  let before = '[';
  for (const item of list) {
    yield before;
    yield* partsOf(item);
    before = ',';
  }
  yield list.length === 0 ? '[]' : ']';
}

function* partsOfObject(value: object): Generator<string> {
  let before = '{';
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined || typeof inner === 'function' || typeof inner === 'symbol') continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(inner);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* partsOfText(text: string): Generator<string> {
  if (text.length <= PIECE_CHARACTERS) return yield JSON.stringify(text);
  yield '"';
  for (let start = 0; start < text.length; ) {
    const end = endOfSlice(text, start + PIECE_CHARACTERS);
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

/** Keeps surrogate pairs together, because a lone surrogate is written as an escape. */
function endOfSlice(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}

/** Whether `JSON.stringify` writes the value member by member; dates and similar values have their own `toJSON`. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

function characterCount(value: unknown, before: number, most: number): number {
  if (typeof value === 'string') return before + value.length;
  if (typeof value !== 'object' || value === null) return before + 1;
  let count = before;
  for (const name in value) {
    if (count > most) return count;
    count = characterCount(value[name as keyof typeof value], count + name.length, most);
  }
  return count;
}
