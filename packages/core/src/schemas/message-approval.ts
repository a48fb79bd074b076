import { z } from 'zod';
import { APPROVAL_STATUSES, EDITABLE_FIELDS, HOLD_REASONS, REJECT_CODES } from './hold.ts';
import { idSchema, timestampSchema } from './identifiers.ts';

export const reasonsSchema = z
  .array(z.enum(HOLD_REASONS))
  .describe('The rules that held it: `always`, or the names of the matching rules of `holdWhen`.');

export const decisionFields = {
  rejectCode: z.enum(REJECT_CODES).nullable(),
  note: z.string().nullable().describe('The note of the decision.'),
  edited: z.array(z.enum(EDITABLE_FIELDS)).describe('The fields an approver changed.'),
};

/** The approval of a message, as a single read returns it. */
export const messageApprovalSchema = z
  .object({
    id: idSchema,
    status: z.enum(APPROVAL_STATUSES),
    reasons: reasonsSchema,
    ...decisionFields,
    expiresAt: timestampSchema,
  })
  .describe(
    'Of a message that another key sent, `reasons`, `edited` and `note` need `emails:content-all`; otherwise they are empty or null, and `redacted` lists `approval`.',
  )
  .meta({ id: 'MessageApproval' });

export type MessageApproval = z.input<typeof messageApprovalSchema>;
