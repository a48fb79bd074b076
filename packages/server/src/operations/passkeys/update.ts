import { renameOwnPasskey } from '../../auth/passkeys/own-passkeys.ts';
import { requireSession } from '../auth/require-session.ts';
import type { Handler } from '../context.ts';
import { noSuchPasskey, toPasskey } from './passkey-record.ts';

export const updatePasskey: Handler<'passkeys.update'> = async ({ params, body }, context) => {
  const { user } = requireSession(context);
  const renamed = await renameOwnPasskey(context.services.auth.tools, user, params.id, body.name);
  if (renamed === null) throw noSuchPasskey();
  return { body: toPasskey(renamed) };
};
