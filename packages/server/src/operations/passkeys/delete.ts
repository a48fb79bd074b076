import { removeOwnPasskey } from '../../auth/passkeys/own-passkeys.ts';
import { requireSession } from '../auth/require-session.ts';
import type { Handler } from '../context.ts';
import { noSuchPasskey, toPasskey } from './passkey-record.ts';

export const deletePasskey: Handler<'passkeys.delete'> = async ({ params }, context) => {
  const { user } = requireSession(context);
  const removed = await removeOwnPasskey(context.services.auth.tools, user, params.id);
  if (removed === null) throw noSuchPasskey();
  return { body: toPasskey(removed) };
};
