import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { timestampSchema } from './identifiers.ts';

/** The outcomes of an attempt at one server. */
export const ATTEMPT_OUTCOMES = {
  accepted: 'all recipients were accepted.',
  mixed: 'the recipients have different outcomes.',
  deferred: 'the server asked to try again later.',
  refused: 'the recipients were rejected, by the server or for a reason in `reply`.',
  failed: 'no reply decided: no server was found or reached, or the connection was lost.',
} as const;

// Object.keys widens to string; the catalog has exactly these names.
const OUTCOME_NAMES = Object.keys(ATTEMPT_OUTCOMES) as (keyof typeof ATTEMPT_OUTCOMES)[];

const attemptServerSchema = z.object({
  host: z.string().describe('The name that was connected to.'),
  address: z.string().nullable().describe('The IP address; null if there was no connection.'),
  port: z.number().int(),
});

const attemptTlsSchema = z.object({
  protocol: z.string().describe('For example `TLSv1.3`.'),
  cipher: z.string(),
  verified: z
    .boolean()
    .describe('True if the certificate is valid for the server’s name. Opportunistic TLS accepts any certificate.'),
});

const attemptLineSchema = z.object({
  from: z.enum(['client', 'server']).describe('`client`: sent by Postrider. `server`: the reply.'),
  line: z.string().describe('Without control characters. A note of Postrider is a `client` line in parentheses.'),
});

/** One delivery attempt at one server. */
export const messageAttemptSchema = z
  .object({
    id: z.string().describe('The id of the event that recorded it, with a suffix for further servers of one attempt.'),
    number: z
      .number()
      .int()
      .describe('The number of the attempt of this delivery, from 1. Entries of one attempt share it.'),
    recipients: z.array(z.string()).describe('The recipients that it was for.'),
    startedAt: timestampSchema,
    durationMs: z.number().int(),
    transport: z
      .string()
      .describe(
        '`smtp-relay`, `direct`, or one that sends nothing: `capture` (stored in the development mailbox), `sandbox` (test addresses), `simulated` (test keys).',
      ),
    server: attemptServerSchema.nullable().describe('Null if no server was chosen or none is involved.'),
    tls: attemptTlsSchema.nullable().describe('Null for a connection without TLS.'),
    connectionReused: z
      .boolean()
      .describe('True if the connection had sent another message before; the conversation then has no handshake.'),
    outcome: z
      .enum(OUTCOME_NAMES)
      .describe(OUTCOME_NAMES.map((name) => `\`${name}\`: ${ATTEMPT_OUTCOMES[name]}`).join(' ')),
    reply: z.string().nullable().describe('The reply that decided, or else the reason; may quote third parties.'),
    conversation: z
      .array(attemptLineSchema)
      .nullable()
      .describe(
        `The SMTP conversation, each command with its reply. The message itself, credentials and the name of the return path are not in it; at most ${LIMITS.conversationLines} lines. Quotes third parties. Null if nothing was exchanged or recorded.`,
      ),
  })
  .meta({ id: 'MessageAttempt' });

export type MessageAttempt = z.input<typeof messageAttemptSchema>;
