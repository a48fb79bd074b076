import type { Scope } from '@postrider/core';
import type { Caller } from '../keys/caller.ts';
import { isStillAllowed } from '../keys/check-again.ts';
import { ProblemError } from '../problem.ts';
import type { KeyedContext } from './context.ts';

/**
 * Checks a caller again whose request has waited: their key may have been revoked or narrowed meanwhile, or their seat taken away.
 * @throws ProblemError where they may not have the answer any more
 */
export async function assertStillAllowed(
  { services: { people }, caller }: KeyedContext,
  scope: Scope | null,
): Promise<void> {
  // Sessions belong to no account, so the database bound to one does not show all of them.
  const { sql, clock } = people.tools;
  if (await isStillAllowed(sql, caller, scope, clock.now())) return;
  throw lostPermission(caller);
}

export function lostPermission({ person }: Caller): ProblemError {
  return new ProblemError(person === null ? 'key_revoked' : 'session_required', {
    detail: 'The caller lost its permission for this operation while the request waited.',
  });
}
