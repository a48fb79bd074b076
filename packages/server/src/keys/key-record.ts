import { maySee, type OperationById, type OperationOutput, type Viewer } from '@postrider/core';
import type { KeyRow } from '../db/queries/api-keys.ts';
import { toSendLimit } from '../sending/key-rules.ts';
import { usableScopes } from '../usable-scopes.ts';
import { keyPrefix } from './api-key.ts';

type Key = OperationOutput<OperationById<'keys.get'>>;

/**
 * Converts a stored key to the API's format.
 * @param viewer the caller who sees it; null for an event, which is the same for every receiver
 */
export function toKey(row: KeyRow, viewer: Viewer | null): Key {
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
    approvers: {
      requirePasskey: row.approvalsNeedPasskey,
      count: row.approvalsNeeded,
      memberIds: copyOf(row.approverIds),
    },
    persona: source === null && agentName === null ? null : { agentName, source },
    lockPersona: row.lockPersona,
    sendLimit: toSendLimit(row),
    client: toClient(row, viewer),
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    pausedAt: row.pausedAt?.toISOString() ?? null,
  };
}

function toClient(
  { clientId, clientName, keyId, createdByMember, grantorEmail }: KeyRow,
  viewer: Viewer | null,
): Key['client'] {
  if (clientId === null || createdByMember === null) return null;
  const isShown = viewer !== null && maySee(viewer, 'key.grantor', keyId);
  const grantedBy = { memberId: createdByMember, email: isShown ? grantorEmail : null };
  return { name: clientName ?? '', id: clientId, grantedBy };
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
