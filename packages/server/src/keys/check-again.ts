import { type Scope, scopesOfSession } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { findKeyById } from '../db/queries/api-keys.ts';
import { findSessionRole } from '../db/queries/sessions.ts';
import { findLasting } from '../db/queries/shown-credentials.ts';
import { hasLostGrantor, usableScopes } from '../usable-scopes.ts';
import type { Caller } from './caller.ts';

/**
 * Whether the caller of a long-lived connection may stay connected. Their key must not be revoked or expired, its secret must not be
 * replaced, its networks must be unchanged, and it must still have the scopes: for a program that signed in, also the role of its user and
 * the access token. A user's session must not have ended, and their role must still have the scopes.
 * @param needed one scope or several; null if none is needed
 * @param query must be able to read sessions, which belong to no account
 */
export async function isStillAllowed(
  query: Query,
  caller: Caller,
  needed: Scope | readonly Scope[] | null,
  now: Date,
): Promise<boolean> {
  const hasNeeded = (scopes: readonly Scope[]) => [needed ?? []].flat().every((scope) => scopes.includes(scope));
  const row = await findKeyById(query, caller.accountId, caller.keyId);
  if (row === null || row.revokedAt !== null || hasLostGrantor(row)) return false;
  const hasEnded = row.expiresAt !== null && row.expiresAt <= now;
  if (hasEnded || !(await lasts(query, caller, now)) || String(row.ipAllowlist) !== String(caller.ipAllowlist))
    return false;
  if (caller.user === null) {
    return hasNeeded(usableScopes({ ...row, tokenScopes: caller.row.tokenScopes }));
  }
  const session = await findSessionRole(query, caller.user.sessionId, caller.accountId);
  return session !== null && hasNeeded(scopesOfSession(session.role, session.mayDecide));
}

async function lasts(query: Query, { accountId, keyId, shown }: Caller, now: Date): Promise<boolean> {
  return shown === null || (await findLasting(query, [{ accountId, keyId, shown, name: shown.kind }], now)).length > 0;
}
