import type { Member, SeatedAccount, SeatedAccounts, Team } from '@postrider/sdk';
import { idColumn } from '../id-column.ts';
import { isRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderTable } from '../table.ts';
import { formatMinute } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';

/** The members with their roles. */
export function showTeam(response: Shown<Team>, output: Output): void {
  const rows = recordsOf<Member>(response['members']);
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    { title: 'email', cells: cells('email'), minWidth: 12 },
    { title: 'role', cells: cells('role') },
    { title: 'status', cells: cells('status') },
    { title: 'name', cells: cells('name'), dropOrder: 2 },
    { title: 'joined (utc)', cells: cells('joinedAt').map(formatMinute), dropOrder: 3 },
    idColumn(cells('id')),
  ];
  output.writeText(renderTable(columns, output.width, output.paint));
  const { used, limit } = isRecord(response['seats']) ? response['seats'] : {};
  output.remark(`${Number(used)} of ${Number(limit)} seats used.`);
}

/** The accounts of a user; the current one is marked. */
export function showAccounts(response: Shown<SeatedAccounts>, output: Output): void {
  const rows = recordsOf<SeatedAccount>(response['accounts']);
  const columns = [
    {
      title: 'account',
      cells: rows.map((row) => `${row['current'] === true ? '* ' : '  '}${singleLine(textOf(row['name']))}`),
    },
    { title: 'role', cells: rows.map((row) => singleLine(textOf(row['role']))) },
    idColumn(rows.map((row) => singleLine(textOf(row['id'])))),
  ];
  output.writeText(renderTable(columns, output.width, output.paint));
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [
  defineView(['Team'], showTeam),
  defineView(['SeatedAccounts'], showAccounts),
];
