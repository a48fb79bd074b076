import type { OperationById, OperationOutput } from '@postrider/core';
import { endOfSession } from '../../auth/session-lifetime.ts';
import type { OwnSessionRow } from '../../db/queries/own-sessions.ts';

type OwnSession = OperationOutput<OperationById<'sessions.end'>>;

/** @param currentId the id of the session that makes the call */
export function toOwnSession(row: OwnSessionRow, currentId: string): OwnSession {
  const { id, kind, client, address, accountId, accountName, mayDecide, startedAt, seenAt } = row;
  return {
    id,
    kind: kind === 'device' ? 'device' : 'browser',
    client,
    address,
    account: { id: accountId, name: accountName },
    approvals: mayDecide,
    createdAt: startedAt.toISOString(),
    lastUsedAt: seenAt.toISOString(),
    expiresAt: endOfSession(row).toISOString(),
    current: id === currentId,
  };
}
