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
    'Raises a ticket with the operator of this installation. What is known of `requestId` and `emailId` is attached as it is now, of the own account alone: an id that the account has nothing of is kept, and attached as null, since not every request is logged. The answer appears in the thread and is mailed to the requester: the person behind the key, or else the owner of the account.',
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
      'Raises a ticket with the people who operate this installation; give `requestId` or `emailId` and what is known of it is attached. Ask the user first. Not for answering in a thread: use reply_to_ticket. Answers the ticket with its number.',
  },
  cli: {
    command: 'tickets create',
    examples: [
      'postrider tickets create --subject "Mail to example.com is late" --body @question.txt --email-id <email id>',
      `postrider tickets create --subject "A 500" --body "See the request." --request-id <request id> --context '{"page":"/checkout"}'`,
    ],
  },
});
