import type { RequestPage, RequestRecord } from '@postrider/sdk';
import { idColumn } from '../id-column.ts';
import { recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderTable } from '../table.ts';
import { formatMinute } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { remarkOnPage } from './page-remark.ts';

/** The request log. */
export function showRequestList(response: Shown<RequestPage>, output: Output): void {
  const rows = recordsOf<RequestRecord>(response['requests']);
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    idColumn(cells('id')),
    { title: 'status', cells: cells('status') },
    { title: 'method', cells: cells('method') },
    { title: 'path', cells: cells('path'), minWidth: 12 },
    { title: 'code', cells: cells('code'), dropOrder: 2 },
    { title: 'ms', cells: cells('durationMs'), dropOrder: 1 },
    { title: 'created (utc)', cells: cells('createdAt').map(formatMinute), dropOrder: 3 },
  ];
  if (rows.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  remarkOnPage(response, rows.length, 'requests', output);
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['RequestPage'], showRequestList)];
