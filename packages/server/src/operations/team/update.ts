import { changeRole } from '../../auth/team.ts';
import type { Handler } from '../context.ts';
import { toMember, toTeamProblem } from './member-record.ts';

export const updateMember: Handler<'team.update'> = async (
  { params, body },
  { services: { database, auth }, caller },
) => {
  const verdict = await changeRole(database, caller, params.id, body.role);
  if (verdict.kind !== 'done') throw toTeamProblem(verdict.kind, params.id, 'role');
  auth.sessions.forget();
  return { body: toMember(verdict.member) };
};
