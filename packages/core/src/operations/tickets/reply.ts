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
  description: `Adds a message to the thread; a ticket that was \`pending\` or \`solved\` is \`open\` again. A \`closed\` ticket accepts no replies: 422 \`validation_failed\` at \`id\`. A full thread is refused the same way (${LIMITS.ticketMessages} messages, or ${LIMITS.ticketCharacters} characters).`,
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
      'Adds a message to the thread of a support ticket, which opens it again if it was pending or solved. Ask the user first. Not for a new problem: use create_ticket. Returns the ticket with its thread.',
  },
  cli: {
    command: 'tickets reply',
    description:
      'Adds a message to the thread; a ticket that was pending or solved is open again. A closed ticket accepts no replies, and a thread has at most 100 messages or 200000 characters: the command then fails with validation_failed.',
    positional: ['id'],
    examples: ['postrider tickets reply 12 --body "That solved it, thank you."'],
  },
});
