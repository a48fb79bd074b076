import { readSeats } from '../../db/queries/people.ts';
import { moveSession } from '../../db/queries/sessions.ts';
import { ProblemError } from '../../problem.ts';
import type { Handler } from '../context.ts';
import { toSession } from './session-record.ts';
import { signedIn } from './signed-in.ts';

/** Moves the session to another seat of the person. */
export const switchSession: Handler<'auth.switch'> = async ({ body }, context) => {
  const { services } = context;
  const { person, borne } = signedIn(context);
  const { sessions, tools } = services.people;
  const isMoved = await tools.sql.begin(async (transaction) => {
    const seats = await readSeats(transaction, person.userId);
    const seat = seats.find(({ accountId }) => accountId === body.accountId.toLowerCase());
    if (seat !== undefined) await moveSession(transaction, person.sessionId, seat);
    return seat !== undefined;
  });
  if (!isMoved) throw new ProblemError('not_found', { detail: `You have no seat in the account ${body.accountId}.` });
  return { body: toSession(await sessions.findAnew(borne)) };
};
