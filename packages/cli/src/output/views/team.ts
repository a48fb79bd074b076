import { isRecord, type JsonRecord, recordsOf, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderTable } from '../table.ts';
import { formatMinute } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';

/** Who has a seat, and in what role. */
export function showTeam(answer: JsonRecord, output: Output): void {
  const rows = recordsOf(answer['members']);
  const cells = (name: string) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    { title: 'email', cells: cells('email'), minWidth: 12 },
    { title: 'role', cells: cells('role') },
    { title: 'status', cells: cells('status') },
    { title: 'name', cells: cells('name'), dropOrder: 2 },
    { title: 'joined (utc)', cells: cells('joinedAt').map(formatMinute), dropOrder: 3 },
    { title: 'id', cells: cells('id'), dropOrder: 1 },
  ];
  output.writeText(renderTable(columns, output.width, output.paint));
  const { used, limit } = isRecord(answer['seats']) ? answer['seats'] : {};
  output.remark(`${Number(used)} of ${Number(limit)} seats are taken.`);
}

/** The accounts a person has a seat in; the one they are in is marked. */
export function showAccounts(answer: JsonRecord, output: Output): void {
  const rows = recordsOf(answer['accounts']);
  const columns = [
    {
      title: 'account',
      cells: rows.map((row) => `${row['current'] === true ? '* ' : '  '}${singleLine(textOf(row['name']))}`),
    },
    { title: 'role', cells: rows.map((row) => singleLine(textOf(row['role']))) },
    { title: 'id', cells: rows.map((row) => singleLine(textOf(row['id']))) },
  ];
  output.writeText(renderTable(columns, output.width, output.paint));
}
