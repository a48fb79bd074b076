import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { offsetTimeSchema } from './offset-time.ts';
import { mailboxItemSchema, mailboxOf } from './recipients.ts';

/** Why an address is on the suppression list. */
export const SUPPRESSION_REASONS = {
  hard_bounce: 'The address does not exist.',
  complaint: 'The recipient reported mail as spam.',
  unsubscribe: 'The recipient used the one-click unsubscribe.',
  manual: 'A user or a program added it.',
} as const;

export type SuppressionReason = keyof typeof SUPPRESSION_REASONS;

const REASON_NAMES = Object.keys(SUPPRESSION_REASONS) as SuppressionReason[]; // Object.keys widens to string.

export const suppressionReasonSchema = z
  .enum(REASON_NAMES)
  .describe(REASON_NAMES.map((name) => `\`${name}\`: ${SUPPRESSION_REASONS[name]}`).join(' '));

/** One entry of the suppression list. */
export const suppressionSchema = z
  .object({
    id: idSchema,
    email: z.string().describe('In lower case, its domain as A-labels.'),
    reason: suppressionReasonSchema,
    emailId: idSchema.nullable().describe('The message that caused it; null if there was none.'),
    note: z.string().nullable(),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.nullable().describe('When the entry ends; null if it never does.'),
  })
  .meta({ id: 'Suppression' });

/** The response of `POST /suppressions` to a list. */
export const suppressionsAddedSchema = z
  .object({
    suppressions: z.array(suppressionSchema).describe('One per address, in the order of the request.'),
    added: z.number().int().describe('Number of new entries.'),
    existing: z.number().int().describe('Number of entries that already existed; they are unchanged.'),
  })
  .meta({ id: 'SuppressionsAdded' });

export const suppressionNoteSchema = z.string().min(1).max(LIMITS.noteCharacters);

/** One address or many, with the fields that apply to all of them. */
export const newSuppressionSchema = z
  .strictObject({
    email: mailboxOf('pass one address here, or several in `emails`')
      .optional()
      .describe('The address, case-insensitive. Pass this or `emails`.'),
    emails: z
      .array(mailboxItemSchema)
      .min(1)
      .max(LIMITS.suppressionsPerCall)
      .optional()
      .describe(`Up to ${LIMITS.suppressionsPerCall} addresses instead of \`email\`.`),
    reason: suppressionReasonSchema.optional().describe('Why; `manual` unless given.'),
    note: suppressionNoteSchema
      .nullable()
      .optional()
      .describe(`A note for later readers, 1 to ${LIMITS.noteCharacters} characters.`),
    expiresAt: offsetTimeSchema
      .nullable()
      .optional()
      .describe(
        'When it ends, in the future: RFC 3339 with an offset, for example `2026-01-31T09:00:00Z`. Default: never.',
      ),
  })
  .superRefine(({ email, emails }, context) => {
    if (email !== undefined && emails !== undefined) {
      const message = 'cannot be combined with `email`; pass one of them';
      context.addIssue({ code: 'custom', path: ['emails'], message, params: { code: 'conflict' } });
    }
    if (email === undefined && emails === undefined) {
      const message = 'is required: `email`, or a list in `emails`';
      context.addIssue({ code: 'custom', path: ['email'], message, params: { code: 'required' } });
    }
  })
  .meta({ id: 'NewSuppression' });

export type Suppression = z.input<typeof suppressionSchema>;
