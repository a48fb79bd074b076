import type { Scope } from '@postrider/core';
import type { Caller } from '../keys/caller.ts';
import { isStillAllowed } from '../keys/check-again.ts';
import { ProblemError } from '../problem.ts';
import type { KeyedContext } from './context.ts';

/**
 * Checks a caller again after its request has waited: the key may have been revoked or narrowed in the meantime, or the seat removed.
 * @throws ProblemError if the caller may no longer receive the response
 */
export async function assertStillAllowed(
  { services: { auth }, caller }: KeyedContext,
  scope: Scope | null,
): Promise<void> {
  // Sessions belong to no account, so the database bound to one account does not show all of them.
  const { sql, clock } = auth.tools;
  if (await isStillAllowed(sql, caller, scope, clock.now())) return;
  throw lostPermission(caller);
}

export function lostPermission({ user }: Caller): ProblemError {
  return new ProblemError(user === null ? 'key_revoked' : 'session_required', {
    detail: 'The caller lost its permission for this operation while the request waited.',
  });
}
