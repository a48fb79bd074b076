import { type Scope, scopesOfSession } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { findKeyById } from '../db/queries/api-keys.ts';
import { findSessionRole } from '../db/queries/sessions.ts';
import { findLasting } from '../db/queries/shown-credentials.ts';
import type { Caller } from './caller.ts';

/**
 * Whether a caller who was let in for long may still stay: their key is neither revoked nor expired, its secret was not replaced, it still has
 * the scope, and may be used from the networks it could be used from then; a person's session has not ended, and their role still has the scope.
 * @param scope null where none is needed
 * @param query sees sessions, which belong to no account.
 */
export async function isStillAllowed(query: Query, caller: Caller, scope: Scope | null, now: Date): Promise<boolean> {
  const row = await findKeyById(query, caller.accountId, caller.keyId);
  if (row === null || row.revokedAt !== null) return false;
  const hasEnded = row.expiresAt !== null && row.expiresAt <= now;
  if (hasEnded || !(await lasts(query, caller, now)) || String(row.ipAllowlist) !== String(caller.ipAllowlist))
    return false;
  if (caller.person === null) return scope === null || row.scopes.includes(scope);
  const session = await findSessionRole(query, caller.person.sessionId, caller.accountId);
  return session !== null && (scope === null || scopesOfSession(session.role, session.mayDecide).includes(scope));
}

async function lasts(query: Query, { accountId, keyId, shown }: Caller, now: Date): Promise<boolean> {
  return shown === null || (await findLasting(query, [{ accountId, keyId, shown, name: shown.kind }], now)).length > 0;
}
