import { insertTicket, readTicket } from '../../db/queries/support-tickets.ts';
import { captureContext } from '../../support/capture-context.ts';
import { toTicket } from '../../support/ticket-record.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { ticketNotFound } from './ticket-problems.ts';

/** Raises a ticket, with what is known of the request and the message it is about. */
export const createTicket: Handler<'tickets.create'> = async ({ body }, { services, caller, signal }) => {
  const { accountId, keyId } = caller;
  const now = services.clock.now();
  const about = { accountId, requestId: body.requestId ?? null, emailId: body.emailId?.toLowerCase() ?? null };
  await services.settleRequestLog();
  const captured = await captureContext({ sql: services.sql, now }, about, signal);
  const id = services.ids.next(now);
  const { subject, context = {} } = body;
  await insertTicket(services.sql, {
    ...about,
    ...captured,
    id,
    keyId,
    subject,
    body: body.body,
    context,
    createdAt: now,
  });
  const row = await readTicket(services.sql, accountId, { id });
  if (row === null) throw ticketNotFound(id);
  return { body: toTicket(row, viewerOf(caller)) };
};
