import { addTicketMessage, lockTicket, readTicket } from '../../db/queries/support-tickets.ts';
import { ProblemError } from '../../problem.ts';
import { judgeReply } from '../../support/judge-reply.ts';
import { toTicketName } from '../../support/ticket-name.ts';
import { toTicket } from '../../support/ticket-record.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { ticketNotFound } from './ticket-problems.ts';

/** Adds the account's message to a thread. */
export const replyToTicket: Handler<'tickets.reply'> = async ({ params, body }, { services: { database }, caller }) => {
  const { accountId, keyId } = caller;
  const name = toTicketName(params.id);
  const now = database.clock.now();
  const row = await database.sql.begin(async (transaction) => {
    const ticket = name === null ? null : await lockTicket(transaction, accountId, name);
    if (ticket === null) return null;
    const verdict = judgeReply(ticket, body.body.length);
    if (!verdict.ok) throw refusedReply(ticket.number, verdict);
    const message = { accountId, ticketId: ticket.id, keyId, body: body.body, status: verdict.status, now } as const;
    await addTicketMessage(transaction, { ...message, author: 'customer', mailedTo: null });
    return await readTicket(transaction, accountId, { id: ticket.id });
  });
  if (row === null) throw ticketNotFound(params.id);
  return { body: toTicket(row, viewerOf(caller)) };
};

function refusedReply(
  number: number,
  { code, message }: { readonly code: string; readonly message: string },
): ProblemError {
  return new ProblemError('validation_failed', {
    detail: `id: ${message}.`,
    fix: `Raise a new ticket, and name ticket ${number} in it.`,
    errors: [{ path: 'id', code, message }],
  });
}
