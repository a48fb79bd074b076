import { listOwnPasskeys } from '../../auth/passkeys/own-passkeys.ts';
import { requireSession } from '../auth/require-session.ts';
import type { Handler } from '../context.ts';
import { toPasskey } from './passkey-record.ts';

export const listPasskeys: Handler<'passkeys.list'> = async (_input, context) => {
  const { user } = requireSession(context);
  const rows = await listOwnPasskeys(context.services.auth.tools, user);
  return { body: { passkeys: rows.map(toPasskey) } };
};
