import { toKey } from '../../keys/key-record.ts';
import { makeKey } from '../../keys/manage-keys.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import { assertApproversWork } from '../assert-approvers-work.ts';
import type { Handler } from '../context.ts';
import { toKeyProblem } from './key-problems.ts';

/** Creates a key and returns its secret, which is shown only once. */
export const createKey: Handler<'keys.create'> = async ({ body }, { services: { database, installation }, caller }) => {
  const { baseUrl } = installation;
  await assertApproversWork(database.sql, { accountId: caller.accountId, given: body.approvers, baseUrl });
  const made = await makeKey(database, caller.row, body);
  if (made.kind !== 'done') throw toKeyProblem(made);
  return { body: { ...toKey(made.row, viewerOf(caller)), key: made.secret } };
};
