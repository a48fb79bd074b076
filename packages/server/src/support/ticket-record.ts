import type { Ticket, Viewer } from '@postrider/core';
import type { TicketRow } from '../db/queries/support-tickets.ts';
import { type MessageOwner, redactMessage, type ShownMessage } from '../visibility/redact-message.ts';

/** A ticket as the API shows it to a caller. */
export function toTicket(row: TicketRow, viewer: Viewer): Ticket {
  return {
    id: row.id,
    number: row.number,
    status: row.status,
    subject: row.subject,
    messages: row.messages.map(({ author, body, createdAt }) => ({
      author,
      body,
      createdAt: new Date(createdAt).toISOString(),
    })),
    context: { ...row.context, ...attachedContext(row, viewer) },
    createdAt: row.createdAt.toISOString(),
  };
}

/** Creating a ticket must not be a way to read data that the key's scopes do not allow. */
function attachedContext(row: TicketRow, viewer: Viewer): Record<string, unknown> {
  const { scopes } = viewer;
  const seesRequest = scopes.includes('logs:read');
  const seesEmail = scopes.includes('emails:read');
  // Also if there is nothing with that id, so that a ticket does not say whether there is.
  const withheld = [
    ...(row.requestId === null || seesRequest ? [] : ['requestLog']),
    ...(row.emailId === null || seesEmail ? [] : ['emailTrail']),
  ];
  return {
    ...(row.requestId === null ? {} : { requestId: row.requestId, requestLog: seesRequest ? row.requestLog : null }),
    ...(row.emailId === null
      ? {}
      : { emailId: row.emailId, emailTrail: seesEmail ? visibleEvents(row, viewer) : null }),
    ...(withheld.length === 0 ? {} : { withheld }),
  };
}

/** The event log was attached as stored. The owner of a deleted message is unknown, so only its `to` recipients are shown. */
function visibleEvents({ emailTrail, emailOwner }: TicketRow, viewer: Viewer): Record<string, unknown> | null {
  if (emailTrail === null) return null;
  const owner: MessageOwner = emailOwner ?? { keyId: null, blind: namesBeside(emailTrail) };
  return redactMessage(emailTrail as ShownMessage & Record<string, unknown>, owner, viewer).message; // Written by `readTicketEvents`.
}

function namesBeside({ to, events }: Record<string, unknown>): readonly string[] {
  const shown = typeof to === 'string' ? to.split(', ') : [];
  const { events: listed = [] } = { events } as ShownMessage; // As above.
  return listed.flatMap(({ recipient }) => (recipient === null || shown.includes(recipient) ? [] : [recipient]));
}
