import type { Handler } from '../context.ts';
import { readAccount } from './account-record.ts';

export const getAccount: Handler<'account.get'> = async (_input, { services, caller }) => ({
  body: await readAccount(services, caller.accountId),
});
