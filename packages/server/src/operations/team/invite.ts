import { mailInvitation } from '../../auth/sign-in-mail.ts';
import { inviteMember as invite } from '../../auth/team.ts';
import type { Handler } from '../context.ts';
import { approverGuard } from './approver-guard.ts';
import { toMember, tooManyInvitations, toTeamProblem } from './member-record.ts';

/** Adds a seat and mails the invitation. If the mail cannot be sent, the seat stays: the address can sign in anyway. */
export const inviteMember: Handler<'team.invite'> = async ({ body }, context) => {
  const { caller } = context;
  const { database, auth } = context.services;
  const email = body.email.address;
  const given = { email, role: body.role };
  const unconfirmed = approverGuard(context, await context.readConfirmed(), 'team.invite', null, given);
  const verdict = await invite(database, caller, given, unconfirmed === null);
  if (verdict.kind === 'limited') throw tooManyInvitations(verdict.retryAfterSeconds);
  if (verdict.kind === 'unconfirmed' && unconfirmed !== null) throw unconfirmed;
  if (verdict.kind !== 'done') throw toTeamProblem(verdict, email);
  const { accountName } = caller;
  const { mailer, onError } = auth;
  await mailInvitation(mailer, { to: email, accountName, role: body.role }).catch((error: unknown) => {
    onError(error, 'mailing an invitation');
  });
  return { body: toMember(verdict.member) };
};
