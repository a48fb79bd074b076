import { pauseAccount as setPaused } from '../../accounts/pause-account.ts';
import type { Handler } from '../context.ts';
import { readAccount } from './account-record.ts';

/** Lets a paused account send again. */
export const resumeAccount: Handler<'account.resume'> = async (_input, { services, caller }) => {
  await setPaused(services, caller, false);
  services.forgetCallers();
  return { body: await readAccount(services, caller.accountId) };
};
