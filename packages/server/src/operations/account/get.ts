import type { Handler } from '../context.ts';
import { readAccount } from './account-record.ts';

export const getAccount: Handler<'account.get'> = async (_input, { services: { database, installation }, caller }) => ({
  body: await readAccount({ database, installation }, caller.accountId),
});
