import { toKey } from '../../keys/key-record.ts';
import { rotateSecret } from '../../keys/manage-keys.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { toKeyProblem } from './key-problems.ts';

/** Gives a key a new secret and returns it, which is shown only once. */
export const rotateKey: Handler<'keys.rotate'> = async (
  { params, body },
  { services: { database, callers }, caller },
) => {
  const rotated = await rotateSecret(database, caller.row, params.id, body.graceSeconds ?? 0);
  if (rotated.kind !== 'done') throw toKeyProblem(rotated, params.id);
  callers.forget();
  return { body: { ...toKey(rotated.row, viewerOf(caller)), key: rotated.secret } };
};
