import { toKey } from '../../keys/key-record.ts';
import { makeKey } from '../../keys/manage-keys.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import { assertPasskeysWork } from '../assert-passkeys-work.ts';
import type { Handler } from '../context.ts';
import { toKeyProblem } from './key-problems.ts';

/** Creates a key and returns its secret, which is shown only once. */
export const createKey: Handler<'keys.create'> = async ({ body }, { services: { database, installation }, caller }) => {
  assertPasskeysWork(body.approvers, installation);
  const made = await makeKey(database, caller.row, body);
  if (made.kind !== 'done') throw toKeyProblem(made);
  return { body: { ...toKey(made.row, viewerOf(caller)), key: made.secret } };
};
