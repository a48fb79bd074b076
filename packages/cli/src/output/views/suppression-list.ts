import type { Suppression, SuppressionPage } from '@postrider/sdk';
import { idColumn } from '../id-column.ts';
import { type JsonRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderTable } from '../table.ts';
import { formatMinute } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { remarkOnPage } from './page-remark.ts';
import { showRecord } from './plain.ts';

/** The suppression list. */
export function showSuppressionList(response: Shown<SuppressionPage>, output: Output): void {
  const rows = recordsOf<Suppression>(response['suppressions']);
  showRows(rows, output);
  remarkOnPage(response, rows.length, 'suppressions', output);
}

/** The result of adding: the record of one address, or the counts for many. */
export function showSuppressed(response: JsonRecord, output: Output): void {
  if (Array.isArray(response['suppressions'])) {
    showRows(recordsOf<Suppression>(response['suppressions']), output);
    output.remark(`${Number(response['added'])} added, ${Number(response['existing'])} already suppressed.`);
  } else {
    showRecord(response, output);
  }
}

function showRows(rows: readonly JsonRecord[], output: Output): void {
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    { title: 'email', cells: cells('email') },
    { title: 'reason', cells: cells('reason') },
    { title: 'note', cells: cells('note'), minWidth: 8, dropOrder: 2 },
    { title: 'created (utc)', cells: cells('createdAt').map(formatMinute), dropOrder: 3 },
    { title: 'expires (utc)', cells: cells('expiresAt').map(formatMinute), dropOrder: 4 },
    { ...idColumn(cells('emailId'), 'email id'), dropOrder: 1 },
  ];
  if (rows.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['SuppressionPage'], showSuppressionList)];
