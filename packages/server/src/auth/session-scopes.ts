import { type Scope, scopesOfSession } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { findSessionRoles } from '../db/queries/sessions.ts';
import { endOfSession } from './session-lifetime.ts';

export interface AskedSession {
  readonly sessionId: string;
  readonly accountId: string;
  /** What its role must still have. */
  readonly scopes: readonly Scope[];
}

/**
 * Whether each session is still active in its account, and its role still has all these scopes: one query for all that keep a connection
 * open.
 * @param query must be able to read sessions, which belong to no account
 */
export async function findAllowedSessions(
  query: Query,
  asked: readonly AskedSession[],
  now: Date,
): Promise<readonly boolean[]> {
  if (asked.length === 0) return [];
  const rows = await findSessionRoles(query, [...new Set(asked.map(({ sessionId }) => sessionId))]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return asked.map(({ sessionId, accountId, scopes }) => {
    const row = byId.get(sessionId);
    if (row === undefined || row.accountId !== accountId || endOfSession(row) <= now) return false;
    const allowed = scopesOfSession(row.role, row.mayDecide);
    return scopes.every((scope) => allowed.includes(scope));
  });
}
