import { toKey } from '../../keys/key-record.ts';
import { revokeOwnProgram } from '../../keys/own-programs.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import { deciderOf } from '../approvals/decider-of.ts';
import type { Handler } from '../context.ts';
import { toProgramProblem } from './program-problems.ts';

export const revokeProgram: Handler<'programs.revoke'> = async ({ params }, context) => {
  const { caller } = context;
  const { database, callers } = context.services;
  const revoked = await revokeOwnProgram(database, caller, params.id, deciderOf(context));
  if (revoked.kind !== 'done') throw toProgramProblem(revoked, params.id);
  callers.forget();
  return { body: toKey(revoked.row, viewerOf(caller)) };
};
