import { CELL_SEPARATOR, type ExportedColumns } from '../../db/queries/export-messages.ts';

/**
 * Where a formula could start: at the start of the cell, and after any character at which some spreadsheet or setting splits cells, where
 * quotes do not protect the cell. Leading spaces, invisible characters and quotes are skipped, since a spreadsheet may drop them. The
 * full-width and small forms of the four characters count as the plain ones.
 */
const FORMULA_START =
  /(^|[,;|\t\r\n])([ "\v\f\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]*)(?='*[=+\-@＝＋－＠﹦﹢﹣﹫])/g;
/** Some spreadsheets move a cell that starts with one of these into the next cell or row. */
const BREAK_START = /^(?='*[\t\r\n])/;
const NEEDS_QUOTES = /[",;|\t\r\n]/;

/** What a byte of UTF-8 means within a cell. All other bytes are copied. */
const COPIED = 0;
/** Copied, and what follows still counts as the start. */
const SPACE = 1;
/** Some setting of a spreadsheet splits cells here, so the cell needs quotes. */
const SPLITS = 2;
/** The cell needs a closer look as text. */
const SUSPICIOUS = 3;
const ENDS = 4;

const INSIDE = kindsOf({ [SPLITS]: [',', ';', '|'], [SUSPICIOUS]: ['"', '\t', '\r', '\n'], [ENDS]: [CELL_SEPARATOR] });
/** The same where a formula could start. Any byte that could begin a character of FORMULA_START or BREAK_START is suspicious. */
const AT_START = kindsOf({
  [SPACE]: [' '],
  [SPLITS]: [',', ';', '|'],
  [SUSPICIOUS]: [
    '"',
    '\t',
    '\r',
    '\n',
    '\v',
    '\f',
    "'",
    '=',
    '+',
    '-',
    '@',
    '\u00a0',
    '\u1680',
    '\u2000',
    '\u3000',
    '\ufeff',
  ],
  [ENDS]: [CELL_SEPARATOR],
});

/** By the first byte of each character. */
function kindsOf(characters: Readonly<Record<number, readonly string[]>>): Uint8Array {
  const table = new Uint8Array(256);
  for (const [kind, members] of Object.entries(characters)) {
    for (const character of members) table[Buffer.from(character)[0] ?? 0] = Number(kind);
  }
  return table;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const DASH = 0x2d;
const LINE_END = 0x0a;
/** Of an id and a time with their separators. */
const FIXED_LENGTH = '00000000-0000-0000-0000-000000000000,2026-01-31T23:59:59.999Z,'.length;
/** The text form of bytea starts with `\x`. */
const HEX_START = 2;

/** Turns records into lines of CSV, as UTF-8. */
export type CsvWriter = (rows: number, columns: ExportedColumns) => Uint8Array;

/**
 * Returns a writer for one file, whose parts are written to the same memory first. Works on bytes, because decoding, splitting and encoding
 * the texts takes longer than reading them from the database.
 */
export function createCsvWriter(): CsvWriter {
  const lines = new Lines();
  return (rows, columns) => writeLines(lines, rows, columns);
}

function writeLines(lines: Lines, rows: number, columns: ExportedColumns): Uint8Array {
  const { ids, times, senders, recipients, subjects, statuses, channels, sources, agents, tags } = columns;
  const texts = [senders, recipients, subjects, statuses, channels, sources, agents, tags];
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  // At most, every byte is doubled or follows an apostrophe, and each cell gets two quotes and a separator.
  lines.begin(rows * (FIXED_LENGTH + 3 * texts.length) + 2 * length);
  const places = texts.map(() => 0);
  for (let row = 0; row < rows; row += 1) {
    lines.addId(ids, HEX_START + row * 32);
    lines.addTime(times, HEX_START + row * 16);
    for (let at = 0; at < texts.length; at += 1) {
      places[at] = lines.addCell(texts[at] ?? ids, places[at] ?? 0) + 1;
    }
    lines.end();
  }
  return lines.copy();
}

class Lines {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  #day = Number.NaN;
  #dayText = '';

  begin(mostBytes: number): void {
    if (mostBytes > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(mostBytes);
    this.#length = 0;
  }

  copy(): Uint8Array {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  /** Replaces the separator after the last cell. */
  end(): void {
    this.#bytes[this.#length - 1] = LINE_END;
  }

  /** @param from where the 32 digits start */
  addId(hex: Uint8Array, from: number): void {
    const bytes = this.#bytes;
    let length = this.#length;
    for (let at = 0; at < 32; at += 1) {
      if (at === 8 || at === 12 || at === 16 || at === 20) bytes[length++] = DASH;
      bytes[length++] = hex[from + at] ?? 0;
    }
    bytes[length++] = COMMA;
    this.#length = length;
  }

  /** @param from where the 16 digits of the microseconds since 2000 start */
  addTime(hex: Uint8Array, from: number): void {
    const upper = (toInt16(hex, from) << 16) | toInt16(hex, from + 4);
    const lower = toInt16(hex, from + 8) * 2 ** 16 + toInt16(hex, from + 12);
    // The same as a division of all 64 bits, which a number cannot have: 2 ** 32 is 4,294,967 * 1,000 + 296.
    const ms = Date.UTC(2000) + upper * 4_294_967 + Math.floor((upper * 296 + lower) / 1_000);
    const day = Math.floor(ms / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayText = new Date(day * DAY_MS).toISOString().slice(0, -TIME_OF_DAY_LENGTH);
    }
    this.#addText(this.#dayText);
    this.#addTimeOfDay(ms - day * DAY_MS);
  }

  #addTimeOfDay(ms: number): void {
    const bytes = this.#bytes;
    let at = this.#length;
    at = addDigits(bytes, at, (ms / 3_600_000) | 0, COLON);
    at = addDigits(bytes, at, ((ms / 60_000) | 0) % 60, COLON);
    at = addDigits(bytes, at, ((ms / 1_000) | 0) % 60, POINT);
    bytes[at++] = ZERO + (((ms % 1_000) / 100) | 0);
    at = addDigits(bytes, at, ms % 100, ZULU);
    bytes[at++] = COMMA;
    this.#length = at;
  }

  /**
   * Adds the cell that starts at `from`, and a separator. Returns where the cell ends. Cells that may need an apostrophe, or quotes within
   * quotes, are decoded; few are.
   */
  addCell(text: Buffer, from: number): number {
    const bytes = this.#bytes;
    const size = text.length;
    let length = this.#length;
    let isSplit = false;
    let at = from;
    let isAtStart = true;
    while (at < size) {
      const byte = text[at] ?? 0;
      const kind: number | undefined = isAtStart ? AT_START[byte] : INSIDE[byte];
      if (kind === ENDS) break;
      if (kind === SUSPICIOUS) return this.#addAsText(text, from);
      isSplit ||= kind === SPLITS;
      isAtStart = kind !== COPIED;
      bytes[length++] = byte;
      at += 1;
      // Most bytes are copied here.
      for (let next = text[at] ?? 0; !isAtStart && at < size && INSIDE[next] === COPIED; next = text[at] ?? 0) {
        bytes[length++] = next;
        at += 1;
      }
    }
    if (isSplit) {
      bytes.copyWithin(this.#length + 1, this.#length, length);
      bytes[this.#length] = QUOTE;
      bytes[length + 1] = QUOTE;
      length += 2;
    }
    bytes[length++] = COMMA;
    this.#length = length;
    return at;
  }

  #addAsText(text: Buffer, from: number): number {
    const next = text.indexOf(CELL_SEPARATOR, from, 'latin1');
    const end = next === -1 ? text.length : next;
    this.#addText(toCell(defuse(text.toString('utf8', from, end))));
    this.#bytes[this.#length++] = COMMA;
    return end;
  }

  #addText(text: string): void {
    this.#length += this.#bytes.write(text, this.#length);
  }
}

const DAY_MS = 86_400_000;
const TIME_OF_DAY_LENGTH = '23:59:59.999Z'.length;
const ZERO = 0x30;
const COLON = 0x3a;
const POINT = 0x2e;
const ZULU = 0x5a;

/** Adds two digits and the character after them. Returns where they end. */
function addDigits(bytes: Uint8Array, at: number, value: number, after: number): number {
  bytes[at] = ZERO + ((value / 10) | 0);
  bytes[at + 1] = ZERO + (value % 10);
  bytes[at + 2] = after;
  return at + 3;
}

/** Reads four hexadecimal digits. */
function toInt16(hex: Uint8Array, from: number): number {
  const upper = (digitOf(hex, from) << 12) | (digitOf(hex, from + 1) << 8);
  return upper | (digitOf(hex, from + 2) << 4) | digitOf(hex, from + 3);
}

/** Letters are in lower case. */
function digitOf(hex: Uint8Array, at: number): number {
  const byte = hex[at] ?? 0;
  return byte < 0x3a ? byte - ZERO : byte - 0x57;
}

/**
 * An apostrophe before each character that could start a formula makes a spreadsheet show text. Text that already has apostrophes there
 * gets one more, so that removing one always restores the original cell.
 */
function defuse(text: string): string {
  return text.replace(FORMULA_START, "$1$2'").replace(BREAK_START, "'");
}

/** RFC 4180. */
function toCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
