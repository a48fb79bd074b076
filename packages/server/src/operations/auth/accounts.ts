import { readSeats } from '../../db/queries/users.ts';
import type { Handler } from '../context.ts';
import { requireSession } from './require-session.ts';

export const listSessionAccounts: Handler<'auth.accounts'> = async (_input, context) => {
  const { user } = requireSession(context);
  const seats = await readSeats(context.services.auth.tools.sql, user.userId);
  const accounts = seats.map(({ accountId: id, accountName: name, memberId, role }) => {
    return { id, name, role, current: memberId === user.memberId };
  });
  return { body: { accounts } };
};
