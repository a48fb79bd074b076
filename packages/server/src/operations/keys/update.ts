import { toKey } from '../../keys/key-record.ts';
import { changeKey } from '../../keys/manage-keys.ts';
import type { Handler } from '../context.ts';
import { toKeyProblem } from './key-problems.ts';

/** Changes what is given of a key. */
export const updateKey: Handler<'keys.update'> = async ({ params, body }, { services, caller }) => {
  const changed = await changeKey(services, caller.row, params.id, body);
  if (changed.kind !== 'done') throw toKeyProblem(changed, params.id);
  services.forgetCallers();
  return { body: toKey(changed.row) };
};
