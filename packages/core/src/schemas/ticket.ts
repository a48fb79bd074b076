import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { idSchema, isRequestId, timestampSchema } from './identifiers.ts';
import { BLANK, headerText, utf8Bytes } from './text.ts';

/** The statuses of a support ticket. */
const TICKET_STATUSES = {
  open: 'Waiting for a reply from support.',
  pending: 'Support has replied; waiting for the account.',
  solved: 'Done; a reply opens it again.',
  closed: 'Closed; it accepts no more replies.',
} as const;

export type TicketStatus = keyof typeof TICKET_STATUSES;

export const TICKET_STATUS_NAMES = Object.keys(TICKET_STATUSES) as TicketStatus[]; // Object.keys widens to string.

export const ticketStatusSchema = z
  .enum(TICKET_STATUS_NAMES)
  .describe(TICKET_STATUS_NAMES.map((name) => `\`${name}\`: ${TICKET_STATUSES[name]}`).join(' '));

const TICKET_AUTHORS = ['customer', 'support'] as const;

/** Names that only the server sets in a ticket's context; callers cannot use them. */
const ATTACHED_CONTEXT = ['requestId', 'requestLog', 'emailId', 'emailTrail', 'withheld'] as const;

const messageSchema = z
  .object({
    author: z.enum(TICKET_AUTHORS).describe('`support`: the operator of this installation; `customer`: the account.'),
    body: z.string().describe('Plain text.'),
    createdAt: timestampSchema,
  })
  .meta({ id: 'TicketMessage' });

/** A support ticket with its thread. */
export const ticketSchema = z
  .object({
    id: idSchema,
    number: z.number().int().describe('Number of the ticket, counted over the whole installation.'),
    status: ticketStatusSchema,
    subject: z.string(),
    messages: z.array(messageSchema).describe('The thread, oldest first.'),
    context: z
      .record(z.string(), z.unknown())
      .describe(
        `The \`context\` of the request, as it was when the ticket was raised. If \`requestId\` was passed, also \`requestId\` and \`requestLog\`: the logged request (as \`GET /requests/:id\` returns it; null if the account has none with that id). If \`emailId\` was passed, also \`emailId\` and \`emailTrail\`: \`{id,status,from,to,subject,createdAt,lastError,events}\` with the newest ${LIMITS.ticketEmailEvents} events (null if the account has no such message; without subject and sender name if it is held and not approved). For keys without \`logs:read\`, \`requestLog\` is null; for keys without \`emails:read\`, \`emailTrail\` is; \`withheld\` names what is not shown.`,
      ),
    createdAt: timestampSchema,
  })
  .meta({ id: 'Ticket' });

export const ticketBodySchema = z
  .string()
  .min(1)
  .max(LIMITS.ticketBodyCharacters)
  .refine((text) => text === '' || text.trim() !== '', BLANK)
  .describe(`Plain text, 1 to ${LIMITS.ticketBodyCharacters} characters.`);

const contextSchema = z
  .record(z.string(), z.unknown())
  .superRefine((given, context) => {
    for (const name of ATTACHED_CONTEXT.filter((reserved) => Object.hasOwn(given, reserved))) {
      const message = 'is a reserved name; use another';
      context.addIssue({ code: 'custom', path: [name], message, params: { code: 'reserved' } });
    }
    if (utf8Bytes(JSON.stringify(given)) > LIMITS.ticketContextBytes) {
      const message = `must be at most ${LIMITS.ticketContextBytes} bytes as JSON`;
      context.addIssue({ code: 'custom', message, params: { code: 'too_long' } });
    }
  })
  .describe(
    `What your application knows of the case: a JSON object of at most ${LIMITS.ticketContextBytes} bytes. The names ${ATTACHED_CONTEXT.map((name) => `\`${name}\``).join(', ')} are reserved.`,
  );

export const newTicketSchema = z
  .strictObject({
    subject: headerText(1, LIMITS.ticketSubjectCharacters).describe(
      `One line, 1 to ${LIMITS.ticketSubjectCharacters} characters.`,
    ),
    body: ticketBodySchema,
    requestId: z
      .string()
      .refine((id) => isRequestId(id), {
        message: `must be 1 to ${LIMITS.requestIdCharacters} letters, digits, \`.\`, \`_\` or \`-\``,
        params: { code: 'invalid_format' },
      })
      .optional()
      .describe('The `x-request-id` of the request it is about; its log entry is attached.'),
    emailId: idSchema.optional().describe('The message it is about; its events are attached.'),
    context: contextSchema.optional(),
  })
  .meta({ id: 'NewTicket' });

export const ticketParams = z.object({ id: z.string().describe('Id or number of the ticket.') });

export type Ticket = z.input<typeof ticketSchema>;
