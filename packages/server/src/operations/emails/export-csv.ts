import { CELL_SEPARATOR, SEPARATORS } from '../../db/queries/export-messages.ts';

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
/** What a cell must contain for any of the above to match. Most records contain none of it and are not split into cells. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it separates the cells.
const SUSPICIOUS = /[",;|\t\r\n]|\u001f[\s\u200b-\u200f\u2060]*'*[=+\-@＝＋－＠﹦﹢﹣﹫]/;

/** Matches records with a cell that needs an apostrophe: FORMULA_START or BREAK_START, also after a separator. */
const CHANGES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they separate the cells and the records.
  /(?:^|[\u001e\u001f,;|\t\r\n])[ "\v\f\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]*'*[=+\-@＝＋－＠﹦﹢﹣﹫]|(?:^|[\u001e\u001f])'*[\t\r\n]/;

/** Records as lines of CSV, without the final line end. */
export function toCsv(records: string): string {
  if (CHANGES.test(records)) return records.split(SEPARATORS.csv).map(toCsvLine).join('\n');
  return quoteCells(records).replaceAll(CELL_SEPARATOR, ',').replaceAll(SEPARATORS.csv, '\n');
}

/** Quotes the cells that need it. Skips from one to the next, because splitting all records into cells takes longer than reading them. */
function quoteCells(records: string): string {
  const next = new RegExp(NEEDS_QUOTES, 'g');
  let quoted = '';
  let from = 0;
  for (let hit = next.exec(records); hit !== null; hit = next.exec(records)) {
    let start = hit.index;
    let end = hit.index;
    while (start > from && !isSeparator(records.charCodeAt(start - 1))) start -= 1;
    while (end < records.length && !isSeparator(records.charCodeAt(end))) end += 1;
    quoted += records.slice(from, start) + toCell(records.slice(start, end));
    from = end;
    next.lastIndex = end;
  }
  return quoted + records.slice(from);
}

/** U+001E or U+001F. */
function isSeparator(code: number): boolean {
  return code === 0x1e || code === 0x1f;
}

/**
 * A record as a line of CSV (RFC 4180). An apostrophe before each character that could start a formula makes a spreadsheet show text. Text
 * that already has apostrophes there gets one more, so that removing one always restores the original cell.
 */
function toCsvLine(record: string): string {
  if (!SUSPICIOUS.test(record)) return record.replaceAll(CELL_SEPARATOR, ',');
  return record
    .split(CELL_SEPARATOR)
    .map((cell) => toCell(defuse(cell)))
    .join(',');
}

function defuse(text: string): string {
  return text.replace(FORMULA_START, "$1$2'").replace(BREAK_START, "'");
}

function toCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
