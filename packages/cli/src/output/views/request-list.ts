import { type JsonRecord, recordsOf, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderTable } from '../table.ts';
import { formatMinute } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { remarkOnPage } from './page-remark.ts';

/** The request log. */
export function showRequestList(answer: JsonRecord, output: Output): void {
  const rows = recordsOf(answer['requests']);
  const cells = (name: string) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    { title: 'id', cells: cells('id') },
    { title: 'status', cells: cells('status') },
    { title: 'method', cells: cells('method') },
    { title: 'path', cells: cells('path'), minWidth: 12 },
    { title: 'code', cells: cells('code'), dropOrder: 2 },
    { title: 'ms', cells: cells('durationMs'), dropOrder: 1 },
    { title: 'created (utc)', cells: cells('createdAt').map(formatMinute), dropOrder: 3 },
  ];
  if (rows.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  remarkOnPage(answer, rows.length, 'requests', output);
}
