import type { SignInTools } from '../../auth/sign-in.ts';
import type { Transaction } from '../../db/client.ts';
import { appendAudit } from '../../db/queries/audit-log.ts';
import { moveSession } from '../../db/queries/sessions.ts';
import { readSeats, type SeatRow } from '../../db/queries/users.ts';
import type { User } from '../../keys/caller.ts';
import { ProblemError } from '../../problem.ts';
import type { Handler } from '../context.ts';
import { requireSession } from './require-session.ts';
import { toSession } from './session-record.ts';

/** Moves the session to another seat of the same user. */
export const switchSession: Handler<'auth.switch'> = async ({ body }, context) => {
  const { caller } = context;
  const { auth } = context.services;
  const { user, sessionToken } = requireSession(context);
  const { sessions, tools } = auth;
  const isMoved = await tools.sql.begin(async (transaction) => {
    const seats = await readSeats(transaction, user.userId);
    const seat = seats.find(({ accountId }) => accountId === body.accountId.toLowerCase());
    if (seat === undefined) return false;
    await moveSession(transaction, user.sessionId, seat);
    if (seat.memberId !== user.memberId) await noteMoved(transaction, tools, caller.accountId, user, seat);
    return true;
  });
  if (!isMoved) throw new ProblemError('not_found', { detail: `You have no seat in the account ${body.accountId}.` });
  return { body: toSession(await sessions.findFresh(sessionToken)) };
};

/** The audit logs of both accounts record the switch. */
async function noteMoved(
  transaction: Transaction,
  { clock, ids }: Pick<SignInTools, 'clock' | 'ids'>,
  accountId: string,
  { sessionId: targetId, memberId: actor }: User,
  to: SeatRow,
): Promise<void> {
  const now = clock.now();
  const entry = { targetId, details: { how: 'switch' }, now } as const;
  await appendAudit(transaction, [
    { ...entry, id: ids.next(now), accountId, actor, action: 'session.ended' },
    { ...entry, id: ids.next(now), accountId: to.accountId, actor: to.memberId, action: 'session.started' },
  ]);
}
