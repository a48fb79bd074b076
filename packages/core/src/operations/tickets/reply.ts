import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { ticketBodySchema, ticketParams, ticketSchema } from '../../schemas/ticket.ts';

export const replyToTicket = defineOperation({
  id: 'tickets.reply',
  method: 'POST',
  path: '/support/tickets/:id/messages',
  access: { kind: 'key', scope: 'support:write' },
  reach: 'notifies',
  summary: 'Reply to a support ticket',
  description: `Adds a message to the thread; a ticket that was \`pending\` or \`solved\` is \`open\` again. One that is \`closed\` takes no more: 422 \`validation_failed\` at \`id\`, and so it is for a thread that is full (${LIMITS.ticketMessages} messages, or ${LIMITS.ticketCharacters} characters).`,
  effect: 'create',
  params: ticketParams,
  body: z.strictObject({ body: ticketBodySchema }),
  bodyBytes: LIMITS.ticketBodyBytes,
  status: 201,
  response: 'json',
  output: ticketSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'reply_to_ticket',
    toolset: 'support',
    title: 'Reply to a support ticket',
    description:
      'Adds a message to the thread of a support ticket, which opens it again where it was pending or solved. Ask the user first. Not for a new matter: use create_ticket. Answers the ticket with its thread.',
  },
  cli: {
    command: 'tickets reply',
    positional: ['id'],
    examples: ['postrider tickets reply 12 --body "That solved it, thank you."'],
  },
});
