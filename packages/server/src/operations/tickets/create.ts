import { insertTicket, readTicket } from '../../db/queries/support-tickets.ts';
import { captureContext } from '../../support/capture-context.ts';
import { toTicket } from '../../support/ticket-record.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { ticketNotFound } from './ticket-problems.ts';

/** Creates a ticket with what is known about the request and the message it concerns. */
export const createTicket: Handler<'tickets.create'> = async (
  { body },
  { services: { database, requests }, caller, signal },
) => {
  const { accountId, keyId } = caller;
  const now = database.clock.now();
  const about = { accountId, requestId: body.requestId ?? null, emailId: body.emailId?.toLowerCase() ?? null };
  await requests.settle();
  const captured = await captureContext({ sql: database.sql, now }, about, signal);
  const id = database.ids.next(now);
  const { subject, context = {} } = body;
  await insertTicket(database.sql, {
    ...about,
    ...captured,
    id,
    keyId,
    subject,
    body: body.body,
    context,
    createdAt: now,
  });
  const row = await readTicket(database.sql, accountId, { id });
  if (row === null) throw ticketNotFound(id);
  return { body: toTicket(row, viewerOf(caller)) };
};
