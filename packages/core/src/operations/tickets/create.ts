import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { newTicketSchema, ticketSchema } from '../../schemas/ticket.ts';

export const createTicket = defineOperation({
  id: 'tickets.create',
  method: 'POST',
  path: '/support/tickets',
  access: { kind: 'key', scope: 'support:write' },
  reach: 'notifies',
  summary: 'Raise a support ticket',
  description:
    'Raises a ticket with the operator of this installation. What the server knows of `requestId` and `emailId` is attached in its present state, from this account only. An id that the account does not know is kept, and attached as null, because not every request is logged. The reply appears in the thread and is mailed to the requester: the user of the key, otherwise the owner of the account.',
  effect: 'create',
  body: newTicketSchema,
  bodyBytes: LIMITS.ticketBodyBytes,
  status: 201,
  response: 'json',
  output: ticketSchema,
  errors: [],
  mcp: {
    tool: 'create_ticket',
    toolset: 'support',
    title: 'Raise a support ticket',
    description:
      'Raises a ticket with the operator of this installation; pass `requestId` or `emailId` to attach what is known of it. Ask the user first. Not for replying in a thread: use reply_to_ticket. Returns the ticket with its number.',
  },
  cli: {
    command: 'tickets create',
    description:
      'Raises a ticket with the operator of this installation. What the server knows of --request-id and --email-id is attached in its present state, from this account only. An id that the account does not know is kept without further data, because not every request is logged. The reply appears in the thread and is mailed to the requester: the user of the key, otherwise the owner of the account.',
    examples: [
      'postrider tickets create --subject "Mail to example.com is late" --body @question.txt --email-id <email id>',
      `postrider tickets create --subject "A 500" --body "See the request." --request-id <request id> --context '{"page":"/checkout"}'`,
    ],
  },
});
