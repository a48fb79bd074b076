import { nameOperation } from '@postrider/core';
import type { KeyRefusal } from '../../keys/manage-keys.ts';
import { ProblemError } from '../../problem.ts';
import { toKeyProblem } from '../keys/key-problems.ts';

/** The problem to return if a user cannot change a program that they allowed. */
export function toProgramProblem(refusal: KeyRefusal, id: string): ProblemError {
  switch (refusal.kind) {
    case 'missing':
      return new ProblemError('not_found', { detail: 'You have allowed no program with this id in this account.' });
    case 'paused-by-user':
      return new ProblemError('permission_escalation', {
        detail: `${refusal.pauser.name ?? 'Another user'} paused the program, and your role may not resume it.`,
        fix: `Ask them, or another member whose role has \`keys:write\`, to resume its key with ${nameOperation('keys.resume')}.`,
      });
    default:
      return toKeyProblem(refusal, id);
  }
}
