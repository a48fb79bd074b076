import { toKey } from '../../keys/key-record.ts';
import { changeKey } from '../../keys/manage-keys.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { toKeyProblem } from './key-problems.ts';

/** Changes the given fields of a key. */
export const updateKey: Handler<'keys.update'> = async (
  { params, body },
  { services: { database, callers }, caller },
) => {
  const changed = await changeKey(database, caller.row, params.id, body);
  if (changed.kind !== 'done') throw toKeyProblem(changed, params.id);
  callers.forget();
  return { body: toKey(changed.row, viewerOf(caller)) };
};
