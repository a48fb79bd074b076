import { LIMITS } from '@postrider/core';
import type { TeamRefusal } from '../../auth/team.ts';
import type { MemberRow } from '../../db/queries/members.ts';
import { ProblemError } from '../../problem.ts';
import { validationFailed } from '../parse-part.ts';

export function toMember({ id, name, email, role, status, joinedAt }: MemberRow) {
  return { id, name, email, role, status, joinedAt: joinedAt?.toISOString() ?? null };
}

/** Why a seat was not given, changed or taken away. `path`: where the last owner is at fault. */
export function toTeamProblem(kind: TeamRefusal, name: string, path: 'role' | 'id' = 'id'): ProblemError {
  switch (kind) {
    case 'missing':
      return new ProblemError('not_found', { detail: `There is no member ${name} in this account.` });
    case 'exists':
      return new ProblemError('already_exists', {
        detail: `${name} has a seat in this account already.`,
        fix: 'List the team; to mail an invitation again, remove the member and invite them anew.',
        errors: [{ path: 'email', code: 'taken', message: `${name} has a seat already` }],
      });
    case 'full':
      return validationFailed([
        {
          path: 'email',
          code: 'too_many',
          message: `is one more than the ${LIMITS.seatsPerAccount} seats of the account`,
        },
      ]);
    case 'escalation':
      return new ProblemError('permission_escalation', {
        detail: 'The role may do more than who gives, changes or takes it may.',
        fix: 'Let an owner or admin do it, in a role at least as high.',
      });
    case 'last-owner':
      return validationFailed([
        { path, code: 'last_owner', message: 'is the last owner; make another member an owner first' },
      ]);
  }
}

export function tooManyInvitations(retryAfterSeconds: number): ProblemError {
  return new ProblemError('rate_limited', {
    detail: `An account has ${LIMITS.invitationsPerDay} invitations mailed in 24 hours, and these were. Wait ${retryAfterSeconds} s.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
