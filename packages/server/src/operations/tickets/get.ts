import { readTicket } from '../../db/queries/support-tickets.ts';
import { toTicketName } from '../../support/ticket-name.ts';
import { toTicket } from '../../support/ticket-record.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { ticketNotFound } from './ticket-problems.ts';

export const getTicket: Handler<'tickets.get'> = async ({ params }, { services: { database }, caller }) => {
  const name = toTicketName(params.id);
  const row = name === null ? null : await readTicket(database.sql, caller.accountId, name);
  if (row === null) throw ticketNotFound(params.id);
  return { body: toTicket(row, viewerOf(caller)) };
};
