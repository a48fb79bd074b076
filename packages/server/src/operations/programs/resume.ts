import { toKey } from '../../keys/key-record.ts';
import { pauseOwnProgram } from '../../keys/own-programs.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { toProgramProblem } from './program-problems.ts';

export const resumeProgram: Handler<'programs.resume'> = async (
  { params },
  { services: { database, callers }, caller },
) => {
  const changed = await pauseOwnProgram(database, caller, params.id, false);
  if (changed.kind !== 'done') throw toProgramProblem(changed, params.id);
  callers.forget();
  return { body: toKey(changed.row, viewerOf(caller)) };
};
