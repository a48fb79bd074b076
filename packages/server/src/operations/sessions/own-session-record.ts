import type { OperationById, OperationOutput } from '@postrider/core';
import type { OwnSessionRow } from '../../db/queries/own-sessions.ts';
import { endOfSession } from '../../sessions/session-lifetime.ts';

type OwnSession = OperationOutput<OperationById<'sessions.end'>>;

/** @param currentId of the session that asks */
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
