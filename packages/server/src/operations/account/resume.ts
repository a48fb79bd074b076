import { pauseAccount as setPaused } from '../../accounts/pause-account.ts';
import type { Handler } from '../context.ts';
import { pausedByUser } from '../paused-by-user.ts';
import { readAccount } from './account-record.ts';

export const resumeAccount: Handler<'account.resume'> = async (
  _input,
  { services: { database, callers, installation }, caller },
) => {
  const { accountId, keyId, user } = caller;
  const verdict = await setPaused(database, { accountId, keyId, isUser: user !== null }, false);
  if (verdict.kind === 'paused-by-user') throw pausedByUser('account', verdict.pauser, caller.scopes);
  callers.forget();
  return { body: await readAccount({ database, installation }, caller.accountId) };
};
