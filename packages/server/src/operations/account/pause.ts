import { pauseAccount as setPaused } from '../../accounts/pause-account.ts';
import type { Handler } from '../context.ts';
import { readAccount } from './account-record.ts';

/** Stops the sending of the whole account. */
export const pauseAccount: Handler<'account.pause'> = async (_input, { services, caller }) => {
  const { accountId, keyId, person } = caller;
  await setPaused(services, { accountId, keyId, isUser: person !== null }, true);
  services.forgetCallers();
  return { body: await readAccount(services, caller.accountId) };
};
