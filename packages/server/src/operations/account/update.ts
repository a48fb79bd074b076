import { cancelDeletion } from '../../accounts/schedule-deletion.ts';
import { changeAccount } from '../../db/queries/account-record.ts';
import type { Handler } from '../context.ts';
import { readAccount } from './account-record.ts';

export const updateAccount: Handler<'account.update'> = async ({ body }, { services, caller }) => {
  const { name = null, trackOpens = null, trackClicks = null, cancelDeletion: isKept = false } = body;
  if (isKept) await cancelDeletion(services, caller.accountId, caller.keyId);
  await changeAccount(services.sql, caller.accountId, { name, trackOpens, trackClicks });
  // Here the switches act at once; other processes believe what they read of a key for half a second.
  services.forgetCallers();
  return { body: await readAccount(services, caller.accountId) };
};
