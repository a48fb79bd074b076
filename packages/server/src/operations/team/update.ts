import { changeRole } from '../../auth/team.ts';
import type { Handler } from '../context.ts';
import { approverGuard } from './approver-guard.ts';
import { toMember, toTeamProblem } from './member-record.ts';

export const updateMember: Handler<'team.update'> = async ({ params, body }, context) => {
  const { caller } = context;
  const { database, auth } = context.services;
  const { id } = params;
  const unconfirmed = approverGuard(context, await context.readConfirmed(), 'team.update', id, { role: body.role });
  const verdict = await changeRole(database, caller, id, body.role, unconfirmed === null);
  if (verdict.kind === 'unconfirmed' && unconfirmed !== null) throw unconfirmed;
  if (verdict.kind !== 'done') throw toTeamProblem(verdict, id, 'role');
  auth.sessions.forget();
  return { body: toMember(verdict.member) };
};
