import { nameOperation, type Scope } from '@postrider/core';
import type { Pauser } from '../keys/pause-rule.ts';
import { ProblemError } from '../problem.ts';

const RESUMES = { account: nameOperation('account.resume'), key: nameOperation('keys.resume') } as const;

/** The problem for a key that tries to resume what a user paused. Only keys that may read the team see which user it was. */
export function pausedByUser(what: 'account' | 'key', { name }: Pauser, scopes: readonly Scope[]): ProblemError {
  const who = name !== null && scopes.includes('team:read') ? name : 'A user';
  return new ProblemError('permission_escalation', {
    detail: `${who} paused the ${what}, and only a user can resume it.`,
    fix: `Ask ${who === 'A user' ? 'the user' : who}, or another member whose role allows it, to sign in and resume it with ${RESUMES[what]}. Do not retry.`,
  });
}
