import type { AuditEntry, AuditPage } from '@postrider/sdk';
import { idColumn } from '../id-column.ts';
import { isRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderTable } from '../table.ts';
import { formatMinute } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { remarkOnPage } from './page-remark.ts';

const HASH_SHOWN = 12;

/** The audit log. */
export function showAuditList(response: Shown<AuditPage>, output: Output): void {
  const rows = recordsOf<AuditEntry>(response['entries']);
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    { title: 'seq', cells: cells('seq') },
    { title: 'made (utc)', cells: cells('createdAt').map(formatMinute) },
    { title: 'action', cells: cells('action') },
    { ...idColumn(cells('actor'), 'actor'), minWidth: 20 },
    { ...idColumn(cells('targetId'), 'target'), dropOrder: 2 },
    { title: 'details', cells: rows.map(({ details }) => detailsText(details)), minWidth: 16, dropOrder: 3 },
    { title: 'hash', cells: cells('hash').map((hash) => hash.slice(0, HASH_SHOWN)), dropOrder: 1 },
  ];
  if (rows.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  remarkOnPage(response, rows.length, 'entries', output);
}

/** Fields that are null are omitted. */
function detailsText(details: unknown): string {
  if (!isRecord(details)) return '';
  const shown = Object.entries(details).filter(([, value]) => value !== null);
  return singleLine(shown.map(([name, value]) => `${name}: ${textOf(value)}`).join(', '));
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['AuditPage'], showAuditList)];
