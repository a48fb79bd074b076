import { toKey } from '../../keys/key-record.ts';
import { pauseKey as setPaused } from '../../keys/manage-keys.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { toKeyProblem } from './key-problems.ts';

export const resumeKey: Handler<'keys.resume'> = async ({ params }, { services: { database, callers }, caller }) => {
  const changed = await setPaused(database, caller.row, params.id, false);
  if (changed.kind !== 'done') throw toKeyProblem(changed, params.id, caller.scopes);
  callers.forget();
  return { body: toKey(changed.row, viewerOf(caller)) };
};
