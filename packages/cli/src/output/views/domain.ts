import type { Domain, DomainHistoryPage, DomainPage, DomainRecord, DomainRecords } from '@postrider/sdk';
import { idColumn } from '../id-column.ts';
import { recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import type { Paint } from '../paint.ts';
import { type Page, renderBlock, renderSheet, type SheetLine, withinBlock } from '../sheet.ts';
import { renderTable } from '../table.ts';
import { formatMinute, formatTime } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { remarkOnPage } from './page-remark.ts';

/** One domain: its details, the status of its records, and what to publish or fix. */
export function showDomain(domain: Shown<Domain>, output: Output): void {
  const { paint } = output;
  const text = (name: keyof typeof domain) => singleLine(textOf(domain[name]));
  const sheet: readonly SheetLine[] = [
    ['domain', text('name')],
    ['id', text('id')],
    ['status', paint.status(text('status'))],
    ...(text('statusReason') === '' ? [] : [['reason', text('statusReason')] as const]),
    ['created', formatTime(text('createdAt'))],
    ['verified', formatTime(text('verifiedAt'))],
    ['checked', formatTime(text('lastCheckedAt'))],
  ];
  const isRemoved = text('status') === 'removed';
  const listed = recordsOf<DomainRecord>(domain['records']);
  // A removed domain signs nothing and needs nothing published: its records are shown as what can be removed from DNS.
  const records = isRemoved ? listed.map((record) => ({ ...record, required: true, reason: null })) : listed;
  const open = isRemoved ? [] : records.filter(({ status }) => status !== 'pass');
  output.writeText(
    `${renderSheet(sheet, output)}\n${recordTable(records, output.width, paint)}${publishText(open, output)}`,
  );
  remarkOnStatus(text('name'), text('status'), open, output);
}

/** Only the records, each with its full value: a cut value cannot be published. */
export function showDomainRecords(response: Shown<DomainRecords>, output: Output): void {
  const records = recordsOf<DomainRecord>(response['records']);
  output.writeText(`${recordTable(records, output.width, output.paint)}${publishText(records, output)}`);
  output.remark('For a zone file, add --zone.');
}

/** The domains of an account, or its removed domains. */
export function showDomainList(response: Shown<DomainPage | DomainHistoryPage>, output: Output): void {
  const rows = recordsOf<Domain>(response['domains']);
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    { title: 'name', cells: cells('name'), minWidth: 12 },
    { title: 'status', cells: cells('status'), paint: output.paint.status },
    idColumn(cells('id')),
    { title: 'to publish', cells: rows.map(unpublishedText), minWidth: 8, dropOrder: 1 },
    { title: 'checked (utc)', cells: cells('lastCheckedAt').map(formatMinute), dropOrder: 2 },
  ];
  if (rows.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  remarkOnPage(response, rows.length, 'domains', output);
}

/** In less room the reasons would be cut too short, so they are printed below the table. */
const WIDTH_FOR_REASONS = 140;

/** The status of the records, one row each. */
export function recordTable(records: readonly Shown<DomainRecord>[], width: number | null, paint: Paint): string {
  const cells = (name: keyof (typeof records)[number]) => records.map((record) => singleLine(textOf(record[name])));
  const uses = records.map((record) => singleLine(textOf(record['purpose'])) + useNote(record));
  const hasRoom = width === null || width >= WIDTH_FOR_REASONS;
  const columns = [
    { title: 'status', cells: cells('status'), paint: paint.status },
    { title: 'purpose', cells: uses },
    { title: 'type', cells: cells('type') },
    { title: 'host', cells: cells('host'), minWidth: 16 },
    ...(hasRoom ? [{ title: 'reason', cells: cells('reason'), minWidth: 10 }] : []),
  ];
  return records.length === 0 ? '' : renderTable(columns, width, paint);
}

/** A key record that is not required belongs to the next key, to a second key, or to the previous key. */
function isOpenKey({ purpose, required, status }: Shown<DomainRecord>): boolean {
  return purpose === 'dkim' && required !== true && status !== 'pass';
}

function useNote(record: Shown<DomainRecord>): string {
  if (isOpenKey(record)) return ' (publish)';
  return record['required'] === true || record['purpose'] === 'dkim' ? '' : ' (recommended)';
}

function publishText(records: readonly Shown<DomainRecord>[], page: Page): string {
  const inner = withinBlock(page);
  const printed = new Set<string>();
  return records
    .map((record) => renderBlock(titleOf(record), renderSheet(linesOf(record, printed), inner), page))
    .join('');
}

function titleOf(record: Shown<DomainRecord>): string {
  const { purpose, type, required } = record;
  const name = textOf(purpose).toUpperCase();
  const need = isOpenKey(record) ? 'publish it for this key' : required === true ? 'required' : 'recommended';
  return singleLine(`${name}: ${textOf(type)} record, ${need}`);
}

/** A longer value that DNS returns is printed once, also if several records have it. */
const SHORT_CHARACTERS = 40;
const PREFIX_CHARACTERS = 24;

function linesOf(record: Shown<DomainRecord>, printed: Set<string>): readonly SheetLine[] {
  const text = (name: keyof typeof record) => singleLine(textOf(record[name]));
  const found = Array.isArray(record['found']) ? record['found'].map((one) => singleLine(textOf(one))) : [];
  printed.add(text('value'));
  return [
    ['host', text('host'), 'whole'],
    ['value', text('value'), 'whole'],
    ['priority', text('priority')],
    ['ttl', text('ttl')],
    // A record that was never checked has no reason.
    ['reason', record['checkedAt'] === null ? '' : text('reason')],
    ...found.map((value): SheetLine => ['found', printOnce(value, printed), 'whole']),
  ];
}

function printOnce(value: string, printed: Set<string>): string {
  if (value.length > SHORT_CHARACTERS && printed.has(value))
    return `${value.slice(0, PREFIX_CHARACTERS)}… (shown above)`;
  printed.add(value);
  return value;
}

/** Nothing needs to be published for a removed domain. */
function unpublishedText(domain: Shown<Domain>): string {
  if (domain['status'] === 'removed') return '';
  const failing = recordsOf<DomainRecord>(domain['records']).filter(
    ({ required, status }) => required === true && status !== 'pass',
  );
  return [...new Set(failing.map(({ purpose }) => textOf(purpose)))].join(', ');
}

function remarkOnStatus(name: string, status: string, open: readonly Shown<DomainRecord>[], output: Output): void {
  if (status === 'verified' && open.some(isOpenKey)) {
    output.remark(
      `Publish the DKIM record of the new key and keep the old one, then run: postrider domains verify ${name}`,
    );
    output.remark(`Until the new record is found, messages from ${name} are signed with the old key.`);
  } else if (status === 'verified') output.remark(`Sends from ${name} are accepted.`);
  else if (status === 'removed') output.remark(`To restore it: postrider domains restore ${name}`);
  else if (open.length > 0)
    output.remark(`Publish the records above, then run: postrider domains verify ${name} --watch`);
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [
  defineView(['Domain'], showDomain),
  defineView(['DomainRecords'], showDomainRecords),
  defineView(['DomainPage', 'DomainHistoryPage'], showDomainList),
];
