import { changeAccount } from '../../db/queries/account-record.ts';
import type { Handler } from '../context.ts';
import { readAccount } from './account-record.ts';

/** Changes what is given. No account is scheduled for deletion, so `cancelDeletion` asks for what is so already. */
export const updateAccount: Handler<'account.update'> = async ({ body }, { services, caller }) => {
  const { name = null, trackOpens = null, trackClicks = null } = body;
  await changeAccount(services.sql, caller.accountId, { name, trackOpens, trackClicks });
  // Here the switches act at once; other processes believe what they read of a key for half a second.
  services.forgetCallers();
  return { body: await readAccount(services, caller.accountId) };
};
