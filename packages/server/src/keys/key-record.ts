import type { OperationById, OperationOutput } from '@postrider/core';
import type { KeyRow } from '../db/queries/api-keys.ts';
import { toSendLimit } from '../sending/key-rules.ts';
import { usableScopes } from '../usable-scopes.ts';
import { keyPrefix } from './api-key.ts';

/** Converts a stored key to the API's format. */
export function toKey(row: KeyRow): OperationOutput<OperationById<'keys.get'>> {
  const { personaSource: source, personaAgentName: agentName } = row;
  return {
    id: row.keyId,
    name: row.keyName,
    mode: row.mode,
    prefix: keyPrefix(row.mode),
    last4: row.last4,
    scopes: [...usableScopes(row)],
    rateLimit: row.rateLimit,
    recipientAllowlist: copyOf(row.recipientAllowlist),
    ipAllowlist: copyOf(row.ipAllowlist),
    attachmentHosts: copyOf(row.attachmentHosts),
    approvalMode: row.approvalMode,
    holdWhen: toHoldWhen(row.holdWhen),
    persona: source === null && agentName === null ? null : { agentName, source },
    lockPersona: row.lockPersona,
    sendLimit: toSendLimit(row),
    client: row.clientId === null ? null : { name: row.clientName ?? '', id: row.clientId },
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    pausedAt: row.pausedAt?.toISOString() ?? null,
  };
}

function copyOf(list: readonly string[] | null): string[] | null {
  return list === null ? null : [...list];
}

/** Restores the field order of the schema, because the database stores its own. */
function toHoldWhen(stored: KeyRow['holdWhen']): KeyRow['holdWhen'] {
  if (stored === null) return null;
  return {
    firstContact: stored.firstContact,
    recipientDomainNotIn: stored.recipientDomainNotIn,
    recipientsOver: stored.recipientsOver,
    hasBcc: stored.hasBcc,
    hasAttachments: stored.hasAttachments,
    freeformBody: stored.freeformBody,
    linkDomainNotIn: stored.linkDomainNotIn,
  };
}
