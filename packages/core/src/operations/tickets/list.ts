import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';
import { ticketSchema, ticketStatusSchema } from '../../schemas/ticket.ts';

export const listTickets = defineOperation({
  id: 'tickets.list',
  method: 'GET',
  path: '/support/tickets',
  access: { kind: 'key', scope: 'support:write' },
  reach: 'none',
  summary: 'List support tickets',
  description: 'The tickets of the account with their threads, newest first, in keyset pages.',
  effect: 'read',
  query: z.strictObject({
    status: ticketStatusSchema.optional().describe('Only tickets with this status.'),
    limit: limitSchema,
    cursor: cursorSchema,
  }),
  status: 200,
  response: 'json',
  output: z.object({ tickets: z.array(ticketSchema), ...pageFields }).meta({ id: 'TicketPage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_tickets',
    toolset: 'support',
    title: 'List support tickets',
    description:
      'Lists the account’s support tickets, newest first, 20 at a time: number, status, subject, and who wrote last. Not for the messages: use get_ticket. Returns rows and a cursor.',
  },
  cli: { command: 'tickets list', examples: ['postrider tickets list --status pending'] },
});
