import { removeMember as remove } from '../../auth/team.ts';
import type { Handler } from '../context.ts';
import { toMember, toTeamProblem } from './member-record.ts';

export const removeMember: Handler<'team.remove'> = async ({ params }, { services: { database, auth }, caller }) => {
  const verdict = await remove(database, caller, params.id);
  if (verdict.kind !== 'done') throw toTeamProblem(verdict, params.id);
  auth.sessions.forget();
  return { body: toMember(verdict.member) };
};
