import { readSeats } from '../../db/queries/users.ts';
import type { Handler } from '../context.ts';
import { requireSession } from './require-session.ts';

export const listSessionAccounts: Handler<'auth.accounts'> = async (_input, context) => {
  const { person } = requireSession(context);
  const seats = await readSeats(context.services.people.tools.sql, person.userId);
  const accounts = seats.map(({ accountId: id, accountName: name, memberId, role }) => {
    return { id, name, role, current: memberId === person.memberId };
  });
  return { body: { accounts } };
};
