import { revokeKey as endKey } from '../../keys/manage-keys.ts';
import type { Handler } from '../context.ts';
import { toKeyProblem } from './key-problems.ts';
import { toKey } from './key-record.ts';

/** Ends a key for good. */
export const revokeKey: Handler<'keys.revoke'> = async ({ params }, { services, caller }) => {
  const revoked = await endKey(services, caller.row, params.id);
  if (revoked.kind !== 'done') throw toKeyProblem(revoked, params.id);
  services.forgetCallers();
  return { body: toKey(revoked.row) };
};
