import type { Key, KeyPage, KeyWithSecret, OwnKey } from '@postrider/sdk';
import { idColumn } from '../id-column.ts';
import { isRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderSheet, type SheetLine } from '../sheet.ts';
import { renderTable } from '../table.ts';
import { formatMinute, formatTime } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { remarkOnPage } from './page-remark.ts';

/** A key with all its restrictions, and its secret if the response contains it. */
export function showKey(key: Shown<Key | KeyWithSecret>, output: Output): void {
  const text = (name: keyof typeof key) => singleLine(textOf(key[name]));
  const lines: readonly SheetLine[] = [
    ['secret', text('key')],
    ['key', `${text('name')} (${text('prefix')}…${text('last4')}, ${text('mode')})`],
    ['id', text('id')],
    ['state', stateOf(key)],
    ['scopes', text('scopes')],
    ['rate limit', `${Number(key['rateLimit']).toLocaleString('en')} requests per minute`],
    ['send limit', limitText(key['sendLimit'])],
    ['recipients', key['recipientAllowlist'] === null ? 'any' : text('recipientAllowlist')],
    ['networks', key['ipAllowlist'] === null ? 'any' : text('ipAllowlist')],
    ['attachment hosts', attachmentHostsText(key)],
    ['persona', personaText(key)],
    ['approval', approvalText(key)],
    ['created', formatTime(text('createdAt'))],
    ['last used', formatTime(text('lastUsedAt'))],
    ['expires', formatTime(text('expiresAt'))],
  ];
  output.writeText(renderSheet(lines, output));
  if (text('key') === '') return;
  output.remark('The secret is shown only once. Save it now.');
  output.remark(
    'To use it in this shell, run export POSTRIDER_API_KEY=<secret>. To print only the secret, add --json | jq -r .key',
  );
}

/** The keys of an account. */
export function showKeyList(response: Shown<KeyPage>, output: Output): void {
  const rows = recordsOf<Key>(response['keys']);
  const cells = (name: keyof (typeof rows)[number]) => rows.map((row) => singleLine(textOf(row[name])));
  const columns = [
    { title: 'name', cells: cells('name'), minWidth: 8 },
    { title: 'key', cells: rows.map((row) => singleLine(`${textOf(row['prefix'])}…${textOf(row['last4'])}`)) },
    { title: 'state', cells: rows.map(stateOf) },
    { title: 'scopes', cells: rows.map(scopesText), minWidth: 8, dropOrder: 2 },
    { title: 'last used (utc)', cells: cells('lastUsedAt').map(formatMinute), dropOrder: 3 },
    { title: 'created (utc)', cells: cells('createdAt').map(formatMinute), dropOrder: 4 },
    idColumn(cells('id')),
  ];
  if (rows.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  remarkOnPage(response, rows.length, 'keys', output);
}

function stateOf(key: Shown<Key>): string {
  const since = (name: keyof typeof key) => formatTime(singleLine(textOf(key[name])));
  if (key['revokedAt'] !== null) return `revoked ${since('revokedAt')}`;
  return key['pausedAt'] === null ? 'active' : `paused ${since('pausedAt')}`;
}

function scopesText({ scopes }: Shown<Key>): string {
  const names = Array.isArray(scopes) ? scopes.map((scope) => singleLine(textOf(scope))) : [];
  return names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : names.join(', ');
}

/** `policy: hasBcc, recipientsOver 5, linkDomainNotIn a.example b.example; needs a passkey`. */
function approvalText(key: Shown<Key>): string {
  const { approvers } = key;
  if (!isRecord(approvers)) return holdText(key);
  const { requirePasskey, count, memberIds } = approvers;
  const people = Array.isArray(memberIds) ? ` of ${memberIds.length} named members` : '';
  const parts = [
    holdText(key),
    ...(typeof count === 'number' && (count > 1 || people !== '')
      ? [`${count}${people || ' people'} must approve`]
      : []),
    ...(requirePasskey === true ? ['needs a passkey'] : []),
  ];
  return parts.join('; ');
}

function holdText({ approvalMode, holdWhen }: Shown<Key>): string {
  const mode = singleLine(textOf(approvalMode));
  if (!isRecord(holdWhen)) return mode;
  const rules = Object.entries(holdWhen).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === false) return [];
    if (value === true) return [name];
    return [`${name} ${Array.isArray(value) ? value.map(textOf).join(' ') : textOf(value)}`];
  });
  return rules.length === 0 ? mode : `${mode}: ${singleLine(rules.join(', '))}`;
}

/** The allowed hosts of attachment URLs. A held key, a test key and a key with a recipient allowlist fetch only from listed hosts. */
export function attachmentHostsText(key: Shown<Key | OwnKey>): string {
  const { attachmentHosts, approvalMode, mode, recipientAllowlist } = key;
  if (Array.isArray(attachmentHosts)) return singleLine(textOf(attachmentHosts)) || 'none';
  return approvalMode === 'off' && mode === 'live' && recipientAllowlist === null ? 'any' : 'none';
}

function limitText(limit: unknown): string {
  if (!isRecord(limit)) return '';
  const parts = (['hour', 'day'] as const).flatMap((period) =>
    limit[period] === null ? [] : [`${Number(limit[period]).toLocaleString('en')} messages per ${period}`],
  );
  return parts.join(', ');
}

function personaText({ persona, lockPersona }: Shown<Key>): string {
  if (!isRecord(persona)) return '';
  const parts = [persona['agentName'], persona['source']].map((part) => singleLine(textOf(part)));
  const named = parts.filter((part) => part !== '').join(', ');
  return lockPersona === true ? `${named} (locked)` : named;
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [
  defineView(['Key', 'KeyWithSecret'], showKey),
  defineView(['KeyPage'], showKeyList),
];
