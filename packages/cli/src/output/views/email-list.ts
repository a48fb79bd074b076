import type { MessagePage, MessageRecord } from '@postrider/sdk';
import { idColumn } from '../id-column.ts';
import { type JsonRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { type Column, renderTable } from '../table.ts';
import { formatAge, formatMinute } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { remarkOnPage } from './page-remark.ts';

/** From this width on, dates fit next to the ids; below, the age is shown. */
const WIDTH_FOR_DATES = 120;

/** The message log. */
export function showEmailList(response: Shown<MessagePage>, output: Output, now: Date): void {
  const rows = recordsOf<MessageRecord>(response['messages']);
  if (rows.length > 0) output.writeText(renderTable(columnsOf(rows, output, now), output.width, output.paint));
  remarkOnPage(response, rows.length, 'emails', output);
}

function columnsOf(rows: readonly JsonRecord[], output: Output, now: Date): readonly Column[] {
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  return [
    idColumn(cells('id')),
    { title: 'status', cells: cells('status'), paint: output.paint.status },
    { title: 'to', cells: cells('to'), minWidth: 12 },
    { title: 'subject', cells: cells('subject'), minWidth: 8 },
    createdColumn(cells('createdAt'), output.width, now),
  ];
}

function createdColumn(times: readonly string[], width: number | null, now: Date): Column {
  if (width === null || width >= WIDTH_FOR_DATES) {
    return { title: 'created (utc)', cells: times.map(formatMinute), dropOrder: 1 };
  }
  return { title: 'created', cells: times.map((time) => formatAge(time, now)), dropOrder: 1 };
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['MessagePage'], showEmailList)];
