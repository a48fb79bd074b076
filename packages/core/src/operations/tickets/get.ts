import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { ticketParams, ticketSchema } from '../../schemas/ticket.ts';

export const getTicket = defineOperation({
  id: 'tickets.get',
  method: 'GET',
  path: '/support/tickets/:id',
  access: { kind: 'key', scope: 'support:write' },
  reach: 'none',
  summary: 'Read a support ticket',
  description:
    'One ticket of the account, by id or number, with its whole thread and the context that was stored with it.',
  effect: 'read',
  params: ticketParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: ticketSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'get_ticket',
    toolset: 'support',
    title: 'Read a support ticket',
    description:
      'Reads one support ticket by id or number: status, the thread, and the context stored when it was raised. Not for finding one: use list_tickets. Long messages are cut, and `body_offset` continues. Returns one record.',
  },
  cli: { command: 'tickets get', positional: ['id'], examples: ['postrider tickets get 12'] },
});
