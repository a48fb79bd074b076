import { toKey } from '../../keys/key-record.ts';
import { revokeKey as endKey } from '../../keys/manage-keys.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import { deciderOf } from '../approvals/decider-of.ts';
import type { Handler } from '../context.ts';
import { toKeyProblem } from './key-problems.ts';

/** Revokes a key permanently. */
export const revokeKey: Handler<'keys.revoke'> = async ({ params }, context) => {
  const { caller } = context;
  const { database, callers } = context.services;
  const revoked = await endKey(database, caller.row, params.id, deciderOf(context));
  if (revoked.kind !== 'done') throw toKeyProblem(revoked, params.id);
  callers.forget();
  return { body: toKey(revoked.row, viewerOf(caller)) };
};
