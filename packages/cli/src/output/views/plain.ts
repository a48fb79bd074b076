import { isRecord, type JsonRecord, recordsOf, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderSheet, type SheetLine } from '../sheet.ts';
import { renderTable } from '../table.ts';
import { singleLine } from '../untrusted-text.ts';
import { remarkOnPage } from './page-remark.ts';

/** A record as a sheet; nested fields have dotted names. */
export function showRecord(response: JsonRecord, output: Output): void {
  output.writeText(renderSheet(linesOf(response, ''), output));
}

/** A page of records as a table of their scalar fields. */
export function showList(response: JsonRecord, output: Output): void {
  const [name, rows] = itemsOf(response);
  if (rows.length > 0) {
    const columns = scalarNames(rows).map((title) => ({
      title,
      cells: rows.map((row) => singleLine(textOf(row[title]))),
      minWidth: 8,
    }));
    output.writeText(renderTable(columns, output.width, output.paint));
  }
  remarkOnPage(response, rows.length, name, output);
}

function linesOf(record: JsonRecord, prefix: string): SheetLine[] {
  return Object.entries(record).flatMap(([name, value]): SheetLine[] =>
    isRecord(value) ? linesOf(value, `${prefix}${name}.`) : [[singleLine(prefix + name), singleLine(textOf(value))]],
  );
}

function itemsOf(response: JsonRecord): readonly [name: string, rows: readonly JsonRecord[]] {
  const [name, value] = Object.entries(response).find(([, field]) => Array.isArray(field)) ?? ['items', []];
  return [name, recordsOf(value)];
}

function scalarNames(rows: readonly JsonRecord[]): readonly string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...names].filter((name) => rows.every((row) => typeof row[name] !== 'object' || row[name] === null));
}
