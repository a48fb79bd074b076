import { pauseAccount as setPaused } from '../../accounts/pause-account.ts';
import type { Handler } from '../context.ts';
import { readAccount } from './account-record.ts';

export const pauseAccount: Handler<'account.pause'> = async (
  _input,
  { services: { database, callers, installation }, caller },
) => {
  const { accountId, keyId, user } = caller;
  await setPaused(database, { accountId, keyId, isUser: user !== null }, true);
  callers.forget();
  return { body: await readAccount({ database, installation }, caller.accountId) };
};
