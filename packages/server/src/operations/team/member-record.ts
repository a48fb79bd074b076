import { LIMITS, nameOperation } from '@postrider/core';
import type { TeamRefusal, TooHighRole } from '../../auth/team.ts';
import type { MemberRow } from '../../db/queries/members.ts';
import { ProblemError } from '../../problem.ts';
import { validationFailed } from '../parse-part.ts';

export function toMember({ id, name, email, role, status, joinedAt }: MemberRow) {
  return { id, name, email, role, status, joinedAt: joinedAt?.toISOString() ?? null };
}

/** The problem to return if a seat was not added, changed or removed. `path`: the field to name if the last owner is the reason. */
export function toTeamProblem(refusal: TeamRefusal, name: string, path: 'role' | 'id' = 'id'): ProblemError {
  switch (refusal.kind) {
    case 'missing':
      return new ProblemError('not_found', { detail: `There is no member ${name} in this account.` });
    case 'exists':
      return new ProblemError('already_exists', {
        detail: `${name} already has a seat in this account.`,
        fix: `List the members with ${nameOperation('team.list')}. To send an invitation again, remove the member and invite them again.`,
        errors: [{ path: 'email', code: 'taken', message: `${name} already has a seat` }],
      });
    case 'full':
      return validationFailed([
        {
          path: 'email',
          code: 'too_many',
          message: `would exceed the ${LIMITS.seatsPerAccount} seats of the account`,
        },
      ]);
    case 'escalation':
      return tooHigh(refusal);
    case 'unconfirmed':
      return new ProblemError('permission_escalation', {
        detail: 'Approvals here need a passkey, so adding someone who approves needs one too.',
      });
    case 'last-owner':
      return validationFailed([
        { path, code: 'last_owner', message: 'is the last owner; make another member an owner first' },
      ]);
  }
}

function tooHigh(refusal: TooHighRole): ProblemError {
  if (refusal.of === 'user') {
    return new ProblemError('permission_escalation', {
      detail: 'You cannot give, change or remove a role that has more permissions than yours.',
      fix: 'Ask an owner or admin whose role is at least as high.',
    });
  }
  const { lacks, limits } = refusal;
  const reasons = [
    ...(lacks.length === 0 ? [] : [`The calling key lacks ${lacks.map((scope) => `\`${scope}\``).join(', ')}.`]),
    ...(limits.length === 0
      ? []
      : [`It is limited by ${limits.map((name) => `\`${name}\``).join(', ')}, and a member is not.`]),
  ];
  return new ProblemError('permission_escalation', {
    detail: `A key cannot give, change or remove a role that may do more than the key. ${reasons.join(' ')}`,
    fix: 'Use a key with these scopes and without these limits, or ask an owner or admin to do this.',
  });
}

export function tooManyInvitations(retryAfterSeconds: number): ProblemError {
  return new ProblemError('rate_limited', {
    detail: `An account can send at most ${LIMITS.invitationsPerDay} invitations in 24 hours. Wait ${retryAfterSeconds} s.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
