import { mailInvitation } from '../../auth/sign-in-mail.ts';
import { inviteMember as invite } from '../../auth/team.ts';
import type { Handler } from '../context.ts';
import { toMember, tooManyInvitations, toTeamProblem } from './member-record.ts';

/** Adds a seat and mails the invitation. If the mail cannot be sent, the seat stays: the address can sign in anyway. */
export const inviteMember: Handler<'team.invite'> = async ({ body }, { services: { database, auth }, caller }) => {
  const email = body.email.address;
  const verdict = await invite(database, caller, { email, role: body.role });
  if (verdict.kind === 'limited') throw tooManyInvitations(verdict.retryAfterSeconds);
  if (verdict.kind !== 'done') throw toTeamProblem(verdict.kind, email);
  const { accountName } = caller;
  const { mailer, onError } = auth;
  await mailInvitation(mailer, { to: email, accountName, role: body.role }).catch((error: unknown) => {
    onError(error, 'mailing an invitation');
  });
  return { body: toMember(verdict.member) };
};
