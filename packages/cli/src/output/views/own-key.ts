import type { OwnKey } from '@postrider/sdk';
import { isRecord, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderSheet, type SheetLine } from '../sheet.ts';
import { formatTime } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { attachmentHostsText } from './key.ts';

/** The calling key: its identity, its permissions and its remaining quota. */
export function showOwnKey(key: Shown<OwnKey>, output: Output): void {
  const text = (name: keyof typeof key) => singleLine(textOf(key[name]));
  const time = (name: keyof typeof key) => formatTime(text(name));
  const lines: readonly SheetLine[] = [
    ['key', `${text('name')} (${text('prefix')}…${text('last4')}, ${text('mode')})`],
    ['id', text('id')],
    ['account', accountText(key['account'])],
    ['quota', quotaText(key['quota'])],
    ['scopes', text('scopes')],
    ['recipients', key['recipientAllowlist'] === null ? 'any' : text('recipientAllowlist')],
    ['attachment hosts', attachmentHostsText(key)],
    ['persona', personaText(key['persona'])],
    ['created', time('createdAt')],
    ['last used', time('lastUsedAt')],
    ['expires', time('expiresAt')],
    ['revoked', time('revokedAt')],
  ];
  output.writeText(renderSheet(lines, output));
}

function accountText(account: unknown): string {
  return isRecord(account) ? singleLine(`${textOf(account['name'])} (${textOf(account['id'])})`) : '';
}

function quotaText(quota: unknown): string {
  if (!isRecord(quota)) return '';
  const number = (name: keyof typeof quota) => Number(quota[name]).toLocaleString('en');
  const resets = formatTime(singleLine(textOf(quota['resetsAt'])));
  return `${number('remaining')} of ${number('limit')} recipients left this month; resets ${resets}`;
}

function personaText(persona: unknown): string {
  if (!isRecord(persona)) return '';
  return [persona['agentName'], persona['source']]
    .map((part) => singleLine(textOf(part)))
    .filter((part) => part !== '')
    .join(', ');
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['OwnKey'], showOwnKey)];
