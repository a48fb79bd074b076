import { z } from 'zod';
import { ERROR_CODES } from '../errors.ts';
import { messageStatusSchema } from './message.ts';
import { RECIPIENT_KINDS } from './recipients.ts';

const fieldProblemSchema = z.object({
  path: z.string().describe('Where: field names and positions joined by dots, for example `to.2` or `headers.X-Team`.'),
  code: z.string().describe('The broken rule, for example `required`, `unknown_field`, `not_available`, `too_long`.'),
  message: z.string().describe('The broken rule in words.'),
});

const refusedRecipientSchema = z.object({
  email: z.string(),
  kind: z.enum(RECIPIENT_KINDS),
  code: z.enum(ERROR_CODES).describe('Why this recipient was refused.'),
});

/** RFC 9457 problem details: the one body of every error, in batch items and MCP results too. */
export const problemSchema = z
  .object({
    type: z.string().describe('Address of this error on the reference page.'),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe('What is wrong with this request.'),
    code: z.enum(ERROR_CODES).describe('Stable, machine-readable name of the error.'),
    fix: z.string().describe('What to do next.'),
    retryable: z.boolean().describe('Whether the same request can succeed later without a change.'),
    requestId: z.string().describe('Quote it to support; equals the `x-request-id` header.'),
    errors: z.array(fieldProblemSchema).optional().describe('The fields that break a rule.'),
    recipients: z.array(refusedRecipientSchema).optional().describe('The recipients that caused the refusal.'),
    currentStatus: messageStatusSchema
      .optional()
      .describe('Only for `message_not_queued`: the present status of the message.'),
  })
  .describe('RFC 9457 problem details.')
  .meta({ id: 'Problem' });

/** Beside the error of an item, for which the response has no `retry-after`. */
export const retryAfterSecondsSchema = z
  .number()
  .int()
  .describe('Only if the error passes with time: seconds to wait before you try again.');

export type Problem = z.output<typeof problemSchema>;
export type FieldProblem = z.output<typeof fieldProblemSchema>;
export type RefusedRecipient = z.output<typeof refusedRecipientSchema>;
