import type { Sql, Transaction } from '../../db/client.ts';
import { deleteConfirmedCodes, deleteOtherSessions, deleteSessionsOfPasskey } from '../../db/queries/own-sessions.ts';
import {
  deletePasskey,
  findPasskeyOwner,
  listPasskeys,
  lockPasskeysOf,
  type PasskeyRow,
  renamePasskey,
} from '../../db/queries/passkeys.ts';
import type { User } from '../../keys/caller.ts';
import { isUuid } from '../../uuid-v7.ts';
import type { AuthServices } from '../auth-services.ts';
import { noteEnded } from '../own-sessions.ts';
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

/** Ends the sessions that the passkey started, too. Returns the passkey as it was; null if the user has none with this id. */
export async function removeOwnPasskey(
  { tools, sessions }: Pick<AuthServices, 'tools' | 'sessions'>,
  user: Owner,
  id: string,
): Promise<PasskeyRow | null> {
  if (!isUuid(id)) return null;
  const removed = await tools.sql.begin(async (transaction) => {
    const passkey = await removePasskey(transaction, tools, user, id.toLowerCase());
    return { passkey };
  });
  sessions.forget();
  return removed.passkey;
}

async function removePasskey(
  transaction: Transaction,
  tools: Pick<SignInTools, 'clock' | 'ids'>,
  user: Pick<User, 'userId'> & { readonly sessionId: string | null },
  id: string,
): Promise<PasskeyRow | null> {
  await lockPasskeysOf(transaction, user.userId);
  const own = (await listPasskeys(transaction, user.userId)).some((passkey) => passkey.id === id);
  // Before the passkey, because the database would delete them with it, unrecorded.
  if (own) await noteEnded(transaction, tools, await deleteSessionsOfPasskey(transaction, id), user);
  const passkey = await deletePasskey(transaction, user.userId, id);
  if (passkey !== null) await notePasskey(transaction, tools, 'passkey.removed', passkey, user);
  return passkey;
}

/**
 * For the operator: removes all passkeys of a user, and returns how many. All sessions of the user end too: what was stolen with the passkeys
 * is unknown, and no session is left that could add a first one.
 */
export async function removePasskeysOf(
  tools: Pick<SignInTools, 'clock' | 'ids'> & { readonly sql: Sql },
  email: string,
): Promise<number> {
  const { removed } = await tools.sql.begin(async (transaction) => {
    const userId = await findPasskeyOwner(transaction, email);
    if (userId === null) return { removed: 0 };
    await lockPasskeysOf(transaction, userId);
    const operator = { userId, sessionId: null };
    await deleteConfirmedCodes(transaction, userId);
    const ended = await deleteOtherSessions(transaction, { userId, exceptId: null, kind: null });
    await noteEnded(transaction, tools, ended, operator);
    const passkeys = await listPasskeys(transaction, userId);
    for (const { id } of passkeys) await removePasskey(transaction, tools, operator, id);
    return { removed: passkeys.length };
  });
  return removed;
}
