import { toKey } from '../../keys/key-record.ts';
import { changeKey } from '../../keys/manage-keys.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import { assertApproversWork } from '../assert-approvers-work.ts';
import { findUnconfirmed } from '../confirm-change.ts';
import type { Handler } from '../context.ts';
import { toKeyProblem } from './key-problems.ts';

/** Changes the given fields of a key. Loosening approvals that need a passkey needs one too. */
export const updateKey: Handler<'keys.update'> = async ({ params, body }, context) => {
  const { caller } = context;
  const { database, callers, installation } = context.services;
  const { id } = params;
  const { baseUrl } = installation;
  await assertApproversWork(database.sql, { accountId: caller.accountId, given: body.approvers, baseUrl });
  const confirmed = await context.readConfirmed();
  const guarded = { operation: 'keys.update', target: id, what: body, page: `/console/keys/${id}/edit` } as const;
  const unconfirmed = (detail: string) => findUnconfirmed(context, confirmed, { ...guarded, detail });
  const changed = await changeKey(database, caller.row, id, body, unconfirmed('') === null);
  if (changed.kind === 'unconfirmed') {
    const refusal = unconfirmed(`This loosens ${changed.names.join(' and ')} of the key.`);
    if (refusal !== null) throw refusal;
  }
  if (changed.kind !== 'done') throw toKeyProblem(changed, id);
  callers.forget();
  return { body: toKey(changed.row, viewerOf(caller)) };
};
