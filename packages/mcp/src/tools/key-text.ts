import type { OperationById, OperationOutput } from '@postrider/core';
import { toOneLine } from '../untrusted-text.ts';
import { line, section } from './message-text.ts';

export type Key = OperationOutput<OperationById<'keys.get'>>;

/** The fields of a key in the output schema. Restrictions are omitted, because the arguments describe them and the schema allows them. */
export const NAMED_OF_A_KEY = [
  ...['id', 'name', 'mode', 'prefix', 'last4', 'scopes', 'rateLimit', 'approvalMode'],
  ...['pausedAt', 'createdAt', 'lastUsedAt', 'expiresAt', 'revokedAt'],
];

/** A key without its secret; names are third-party text. */
export function describeKey(key: Key, untrusted: (text: string) => string): string {
  const { id, mode, prefix, last4, scopes, rateLimit, sendLimit, approvalMode, holdWhen, persona } = key;
  return [
    `Key ${id} (${mode}, ${prefix}…${last4}): ${describeState(key)}`,
    `Made ${key.createdAt}, used last: ${key.lastUsedAt ?? 'never'}, expires: ${key.expiresAt ?? 'never'}`,
    `Scopes: ${scopes.join(', ') || 'none'}`,
    `Requests a minute: ${rateLimit}; messages: ${describeSendLimit(sendLimit)}`,
    `Approval: ${approvalMode}`,
    ...(holdWhen === null ? [] : section('Holds', holdRows(holdWhen))),
    ...section('Recipients', key.recipientAllowlist ?? ['all']),
    ...section('Networks', key.ipAllowlist ?? ['all']),
    `Attachment URLs: ${describeAttachmentHosts(key)}`,
    ...line('Sends with source', persona?.source),
    ...(key.lockPersona ? ['Sends must use this agent name and source.'] : []),
    untrusted([`Name: ${toOneLine(key.name)}`, ...line('Sends as agent', persona?.agentName)].join('\n')),
  ].join('\n');
}

/** Whether the key works, and whether it sends. */
export function describeState({ revokedAt, pausedAt }: Pick<Key, 'revokedAt' | 'pausedAt'>): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  return pausedAt === null ? 'in force' : `sends nothing, paused ${pausedAt}`;
}

/** Which hosts attachment URLs may name. */
export function describeAttachmentHosts(
  key: Pick<Key, 'attachmentHosts' | 'approvalMode' | 'mode' | 'recipientAllowlist'>,
): string {
  const { attachmentHosts: hosts, approvalMode, mode, recipientAllowlist } = key;
  if (hosts !== null) return hosts.join(', ') || 'none, send base64 content';
  const isAny = approvalMode === 'off' && mode === 'live' && recipientAllowlist === null;
  return isAny ? 'any host' : 'none, send base64 content';
}

function describeSendLimit(limit: Key['sendLimit']): string {
  const counts = [
    ...(limit?.hour == null ? [] : [`${limit.hour} an hour`]),
    ...(limit?.day == null ? [] : [`${limit.day} a day`]),
  ];
  return counts.join(', ') || 'no limit';
}

/** The rules that are on: false and null hold nothing. */
function holdRows(holdWhen: NonNullable<Key['holdWhen']>): string[] {
  return Object.entries(holdWhen).flatMap(([rule, value]) => {
    if (value === null || value === false) return [];
    return [value === true ? rule : `${rule}: ${Array.isArray(value) ? value.join(', ') : value}`];
  });
}
