import { unconfirmedRemoval } from '../../auth/passkeys/guard-passkeys.ts';
import { removeOwnPasskey } from '../../auth/passkeys/own-passkeys.ts';
import { approvesWithPasskey } from '../../db/queries/approver-rules.ts';
import { requireSession } from '../auth/require-session.ts';
import type { Handler } from '../context.ts';
import { noSuchPasskey, toPasskey } from './passkey-record.ts';

export const deletePasskey: Handler<'passkeys.delete'> = async ({ params }, context) => {
  const { user } = requireSession(context);
  const { auth, installation } = context.services;
  if (await approvesWithPasskey(auth.tools.sql, user.userId)) throw unconfirmedRemoval(installation.baseUrl);
  const removed = await removeOwnPasskey(auth, user, params.id);
  if (removed === null) throw noSuchPasskey();
  return { body: toPasskey(removed) };
};
