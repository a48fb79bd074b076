import { CELL_SEPARATOR, SEPARATORS } from '../../db/queries/export-messages.ts';

const TAGS_CELL = 9;

/** What a spreadsheet takes for the beginning of a formula; the wide forms are those of Asian keyboards. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;
/** Whatever one of the cells of a record could have that the two above look for. Most records have nothing of it, and are not taken apart. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what parts the cells.
const SUSPICIOUS = /[",\r\n\t]|[\u001f;][=+\-@＝＋－＠]/;

/** Records as lines of CSV, without the end of the last. */
export function toCsv(records: string): string {
  if (!SUSPICIOUS.test(records)) return records.replaceAll(CELL_SEPARATOR, ',').replaceAll(SEPARATORS.csv, '\n');
  return records.split(SEPARATORS.csv).map(toCsvLine).join('\n');
}

/**
 * A record as a line of CSV (RFC 4180): a cell is quoted where it must be, and one that a spreadsheet would run as a formula begins with an
 * apostrophe. So does each such tag by itself: where semicolons part cells, it stands in one of its own.
 */
function toCsvLine(record: string): string {
  if (!SUSPICIOUS.test(record)) return record.replaceAll(CELL_SEPARATOR, ',');
  return record
    .split(CELL_SEPARATOR)
    .map((cell, index) => toCell(index === TAGS_CELL ? cell.split(';').map(defuse).join(';') : defuse(cell)))
    .join(',');
}

function defuse(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function toCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
