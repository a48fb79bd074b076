import type { Sql } from '../../db/client.ts';
import {
  deletePasskey,
  findPasskeyOwner,
  listPasskeys,
  type PasskeyRow,
  renamePasskey,
} from '../../db/queries/passkeys.ts';
import type { User } from '../../keys/caller.ts';
import { isUuid } from '../../uuid-v7.ts';
import type { SignInTools } from '../sign-in.ts';
import { notePasskey } from './note-passkey.ts';

type Owner = Pick<User, 'userId' | 'sessionId'>;

export async function listOwnPasskeys({ sql }: SignInTools, { userId }: Owner): Promise<readonly PasskeyRow[]> {
  return await listPasskeys(sql, userId);
}

/** Null if the user has no passkey with this id. */
export async function renameOwnPasskey(
  { sql }: SignInTools,
  { userId }: Owner,
  id: string,
  name: string,
): Promise<PasskeyRow | null> {
  return isUuid(id) ? await renamePasskey(sql, userId, id.toLowerCase(), name) : null;
}

/** Returns the passkey as it was; null if the user has none with this id. */
export async function removeOwnPasskey(tools: SignInTools, user: Owner, id: string): Promise<PasskeyRow | null> {
  if (!isUuid(id)) return null;
  const removed = await tools.sql.begin(async (transaction) => {
    const passkey = await deletePasskey(transaction, user.userId, id.toLowerCase());
    if (passkey !== null) await notePasskey(transaction, tools, 'passkey.removed', passkey, user);
    return { passkey };
  });
  return removed.passkey;
}

/** For the operator: removes all passkeys of a user, and returns how many. */
export async function removePasskeysOf(
  tools: Pick<SignInTools, 'clock' | 'ids'> & { readonly sql: Sql },
  email: string,
): Promise<number> {
  const { removed } = await tools.sql.begin(async (transaction) => {
    const userId = await findPasskeyOwner(transaction, email);
    const passkeys = userId === null ? [] : await listPasskeys(transaction, userId);
    for (const { id } of passkeys) {
      const passkey = userId === null ? null : await deletePasskey(transaction, userId, id);
      if (passkey === null || userId === null) continue;
      await notePasskey(transaction, tools, 'passkey.removed', passkey, { userId, sessionId: null });
    }
    return { removed: passkeys.length };
  });
  return removed;
}
