import { cancelDeletion } from '../../accounts/schedule-deletion.ts';
import { changeAccount } from '../../db/queries/account-record.ts';
import type { Handler } from '../context.ts';
import { readAccount } from './account-record.ts';

export const updateAccount: Handler<'account.update'> = async (
  { body },
  { services: { database, callers, installation }, caller },
) => {
  const { name = null, trackOpens = null, trackClicks = null, cancelDeletion: isKept = false } = body;
  if (isKept) await cancelDeletion(database, caller.accountId, caller.keyId);
  await changeAccount(database.sql, caller.accountId, { name, trackOpens, trackClicks });
  // The switches take effect here at once; other processes cache a key for half a second.
  callers.forget();
  return { body: await readAccount({ database, installation }, caller.accountId) };
};
