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
export function showSuppressionList(answer: Shown<SuppressionPage>, output: Output): void {
  const rows = recordsOf<Suppression>(answer['suppressions']);
  showRows(rows, output);
  remarkOnPage(answer, rows.length, 'suppressions', output);
}

/** The result of adding: the record of one address, or the counts for many. */
export function showSuppressed(answer: JsonRecord, output: Output): void {
  if (Array.isArray(answer['suppressions'])) {
    showRows(recordsOf<Suppression>(answer['suppressions']), output);
    output.remark(`${Number(answer['added'])} added, ${Number(answer['existing'])} already suppressed.`);
  } else {
    showRecord(answer, output);
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
