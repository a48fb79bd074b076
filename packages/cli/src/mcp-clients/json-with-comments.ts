/** A value in a JSON text with its position. Comments and trailing commas, which several clients allow in their settings, are skipped. */
export interface JsonNode {
  readonly start: number;
  readonly end: number;
  /** Null if the value is not an object. */
  readonly members: readonly JsonMember[] | null;
  /** For an object: whether its last member has a comma. */
  readonly hasTrailingComma: boolean;
}

export interface JsonMember {
  /** The start of its name. */
  readonly start: number;
  readonly name: string;
  readonly value: JsonNode;
}

/** The value of a whole text; null if it is not JSON. */
export function parseJsonWithComments(text: string): JsonNode | null {
  try {
    const reader: Reader = { text, at: text.startsWith('\uFEFF') ? 1 : 0 };
    const node = readValue(reader);
    skip(reader);
    return reader.at === text.length ? node : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

interface Reader {
  readonly text: string;
  at: number;
}

/** White space, `// …` and `/* … *\/`. */
const BLANK = /(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;

function readValue(reader: Reader): JsonNode {
  skip(reader);
  const first = reader.text[reader.at];
  if (first === '{') return readObject(reader);
  if (first === '[') return readArray(reader);
  const start = reader.at;
  take(reader, first === '"' ? STRING : SCALAR);
  return { start, end: reader.at, members: null, hasTrailingComma: false };
}

function readObject(reader: Reader): JsonNode {
  const start = reader.at;
  const members: JsonMember[] = [];
  const hasTrailingComma = readItems(reader, '}', () => {
    const { at } = reader;
    const name: unknown = JSON.parse(take(reader, STRING));
    skip(reader);
    if (reader.text[reader.at] !== ':') throw new SyntaxError('no colon');
    reader.at += 1;
    members.push({ start: at, name: String(name), value: readValue(reader) });
  });
  return { start, end: reader.at, members, hasTrailingComma };
}

function readArray(reader: Reader): JsonNode {
  const start = reader.at;
  readItems(reader, ']', () => void readValue(reader));
  return { start, end: reader.at, members: null, hasTrailingComma: false };
}

/** Reads up to the closing bracket and returns whether a comma precedes it. */
function readItems(reader: Reader, closing: string, readItem: () => void): boolean {
  reader.at += 1;
  for (let hasComma = false; ; ) {
    skip(reader);
    if (reader.text[reader.at] === closing) {
      reader.at += 1;
      return hasComma;
    }
    readItem();
    skip(reader);
    hasComma = reader.text[reader.at] === ',';
    if (hasComma) reader.at += 1;
    else if (reader.text[reader.at] !== closing) throw new SyntaxError('no comma');
  }
}

function skip(reader: Reader): void {
  BLANK.lastIndex = reader.at;
  BLANK.exec(reader.text);
  reader.at = Math.max(reader.at, BLANK.lastIndex);
}

function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const [taken] = pattern.exec(reader.text) ?? [];
  if (taken === undefined) throw new SyntaxError('no value');
  reader.at += taken.length;
  return taken;
}
