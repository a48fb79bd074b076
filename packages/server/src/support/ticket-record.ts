import type { Scope, Ticket } from '@postrider/core';
import type { TicketRow } from '../db/queries/support-tickets.ts';

/** A ticket as the API shows it to a key of these scopes. Status and authors were written from the enumerations the output names. */
export function toTicket(row: TicketRow, scopes: readonly Scope[]): Ticket {
  return {
    id: row.id,
    number: row.number,
    status: row.status as Ticket['status'],
    subject: row.subject,
    messages: row.messages.map(({ author, body, createdAt }) => ({
      author: author as Ticket['messages'][number]['author'],
      body,
      createdAt: new Date(createdAt).toISOString(),
    })),
    context: { ...row.context, ...attachedContext(row, scopes) },
    createdAt: row.createdAt.toISOString(),
  };
}

/** Raising a ticket must not be a way to read what the key's scopes do not let it read. */
function attachedContext(row: TicketRow, scopes: readonly Scope[]): Record<string, unknown> {
  const seesRequest = scopes.includes('logs:read');
  const seesEmail = scopes.includes('emails:read');
  const withheld = [
    ...(row.requestLog === null || seesRequest ? [] : ['requestLog']),
    ...(row.emailTrail === null || seesEmail ? [] : ['emailTrail']),
  ];
  return {
    ...(row.requestId === null ? {} : { requestId: row.requestId, requestLog: seesRequest ? row.requestLog : null }),
    ...(row.emailId === null ? {} : { emailId: row.emailId, emailTrail: seesEmail ? row.emailTrail : null }),
    ...(withheld.length === 0 ? {} : { withheld }),
  };
}
