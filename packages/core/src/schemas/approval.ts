import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { APPROVAL_STATUSES, REJECT_CODES } from './hold.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { storedAttachmentSchema } from './message.ts';
import { decisionFields, reasonsSchema } from './message-approval.ts';
import { problemSchema } from './problem.ts';
import { channelSchema, sourceSchema } from './provenance.ts';
import { recipientsSchema } from './recipients.ts';
import { scheduledAtSchema } from './scheduled-at.ts';
import { bodyText, headerText } from './text.ts';

/** A held send with all that is to be seen of it. */
export const approvalSchema = z
  .object({
    id: idSchema,
    emailId: idSchema.describe('The message that is held.'),
    status: z.enum(APPROVAL_STATUSES),
    reasons: reasonsSchema,
    revision: z.number().int().describe('1 as it was sent; one more with every edit.'),
    contentHash: z
      .string()
      .nullable()
      .describe(
        'Names exactly what this record shows, files included; give it with the decision to decide on nothing else. Null for a caller that may not see the content.',
      ),
    keyId: idSchema.describe('The key that sent it.'),
    keyName: z.string().nullable(),
    agentName: z.string().nullable(),
    source: sourceSchema,
    channel: channelSchema,
    from: z.string(),
    to: z.array(z.string()).describe('Mailboxes with the names that they go out with: `a@b.c` or `Name <a@b.c>`.'),
    cc: z.array(z.string()).describe('Like `to`.'),
    bcc: z.array(z.string()).describe('Like `to`.'),
    subject: z.string(),
    text: z
      .string()
      .nullable()
      .describe('As it would be delivered; null where there is none, or it is stored no more.'),
    html: z.string().nullable().describe('As it would be delivered, before tracking; null like `text`.'),
    attachments: z.array(storedAttachmentSchema),
    scheduledAt: timestampSchema.nullable(),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.describe('When it ends if nobody decides.'),
    decidedAt: timestampSchema.nullable(),
    decidedBy: z.string().nullable().describe('The id of the key or the person; `system` where it expired.'),
    ...decisionFields,
    outcome: z
      .enum(['queued', 'failed'])
      .nullable()
      .describe('Of an approval: `queued`, or `failed` where the acceptance check refused the message by then.'),
    problem: problemSchema.nullable().describe('Why it failed.'),
    replyTo: z.string().nullable().describe('Where answers go; null where they go to `from`.'),
    headers: z
      .record(z.string(), z.string())
      .nullable()
      .describe('The additional headers as given; null where they are stored no more.'),
    unsubscribe: z.boolean().describe('Whether each recipient gets an unsubscribe link of their own.'),
  })
  .meta({ id: 'Approval' });

export const approvalEditsSchema = z
  .strictObject({
    to: recipientsSchema(1).optional(),
    cc: recipientsSchema(0).optional(),
    bcc: recipientsSchema(0).optional(),
    subject: headerText(1, LIMITS.subjectCharacters).optional(),
    html: bodyText(1, LIMITS.bodyBytes)
      .optional()
      .describe('A text that was derived from the HTML before is derived anew, unless `text` is given too.'),
    text: bodyText(0, LIMITS.bodyBytes).optional(),
    scheduled_at: scheduledAtSchema.optional(),
  })
  .describe('What to change before it is sent, by the names of a send. Each replaces the field as a whole.')
  .meta({ id: 'ApprovalEdits' });

const decisionSchema = z.enum(['approve', 'reject']);
const noteSchema = z
  .string()
  .max(LIMITS.approvalNoteCharacters)
  .optional()
  .describe('Kept with the decision, and shown to whoever sent it.');

const approvalDecisionSchema = z.strictObject({
  decision: decisionSchema,
  contentHash: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Of the record that was looked at: should it no longer match, nothing is decided (409 `approval_changed`).',
    ),
  note: noteSchema,
  rejectCode: z.enum(REJECT_CODES).optional().describe('Of a rejection.'),
  edits: approvalEditsSchema.optional(),
  remember: z
    .literal(true)
    .optional()
    .describe(
      'Trusts these recipients for this key from now on: `firstContact` and `recipientDomainNotIn` hold nothing for them any more.',
    ),
});

/** What belongs to an approval says nothing of a rejection, and the other way round. */
export const newApprovalDecisionSchema = approvalDecisionSchema
  .superRefine(({ decision, rejectCode, edits, remember }, context) => {
    const misplaced = decision === 'approve' ? Object.entries({ rejectCode }) : Object.entries({ edits, remember });
    for (const [name, given] of misplaced) {
      if (given === undefined) continue;
      const message = decision === 'approve' ? 'goes with a rejection' : 'goes with an approval';
      context.addIssue({ code: 'custom', path: [name], message, params: { code: 'conflict' } });
    }
    const recipients = [...(edits?.to ?? []), ...(edits?.cc ?? []), ...(edits?.bcc ?? [])];
    if (new Set(recipients.map(({ address }) => address.toLowerCase())).size > LIMITS.recipientsPerMessage) {
      const message = `more than the ${LIMITS.recipientsPerMessage} recipients that a message may have`;
      context.addIssue({ code: 'custom', path: ['edits', 'to'], message, params: { code: 'too_many' } });
    }
  })
  .meta({ id: 'ApprovalDecision' });

export const newApprovalDecisionsSchema = z
  .strictObject({
    ids: z
      .array(z.string().max(100))
      .min(1)
      .max(LIMITS.approvalsPerCall)
      .describe(`Holds, 1 to ${LIMITS.approvalsPerCall}; each is decided by itself.`),
    decision: decisionSchema,
    note: noteSchema,
  })
  .meta({ id: 'ApprovalDecisions' });

export const approvalResultSchema = z
  .object({
    index: z.number().int().describe('Position of the id in the request.'),
    id: z.string(),
    ok: z.boolean().describe('Whether it was decided.'),
    approval: approvalSchema.optional().describe('Of one that was decided.'),
    error: problemSchema.optional().describe('Of one that was not.'),
  })
  .meta({ id: 'ApprovalResult' });

export type Approval = z.input<typeof approvalSchema>;
export type ApprovalEdits = z.output<typeof approvalEditsSchema>;
export type ApprovalDecision = z.output<typeof newApprovalDecisionSchema>;
