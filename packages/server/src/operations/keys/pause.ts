import { toKey } from '../../keys/key-record.ts';
import { pauseKey as setPaused } from '../../keys/manage-keys.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { toKeyProblem } from './key-problems.ts';

/** Stops the sending of a key. */
export const pauseKey: Handler<'keys.pause'> = async ({ params }, { services: { database, callers }, caller }) => {
  const changed = await setPaused(database, caller.row, params.id, true);
  if (changed.kind !== 'done') throw toKeyProblem(changed, params.id);
  callers.forget();
  return { body: toKey(changed.row, viewerOf(caller)) };
};
