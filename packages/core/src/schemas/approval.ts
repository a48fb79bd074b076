import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { approversSchema } from './approvers.ts';
import { APPROVAL_STATUSES, REJECT_CODES } from './hold.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { storedAttachmentSchema } from './message.ts';
import { decisionFields, reasonsSchema } from './message-approval.ts';
import { problemSchema, retryAfterSecondsSchema } from './problem.ts';
import { channelSchema, sourceSchema } from './provenance.ts';
import { recipientsSchema } from './recipients.ts';
import { scheduledAtSchema } from './scheduled-at.ts';
import { bodyText, headerText } from './text.ts';

/** Something in the message that its approver should know. */
const findingSchema = z.object({
  kind: z.enum([
    'text-differs',
    'look-alike',
    'hidden-text',
    'unclear-text',
    'not-web',
    'no-text',
    'foreign-letters',
    'invisible-characters',
    'form',
    'covers',
    'looks-different',
    'not-checked',
  ]),
  level: z
    .enum(['danger', 'warn', 'note'])
    .describe('`danger`: ordinary mail has no such thing. `warn`: read it before you decide. `note`: ordinary.'),
  place: z.enum(['subject', 'from', 'replyTo', 'recipients', 'files', 'html', 'text']),
  text: z.string().describe('What the reader sees, such as the text of a link. Cut.'),
  target: z.string().nullable().describe('Where a link leads. Cut.'),
  host: z.string().nullable().describe('The host of the target, as in DNS.'),
  message: z.string().describe('What is wrong, in one or two sentences.'),
});

export const approvalReviewSchema = z
  .object({
    findings: z.array(findingSchema).describe('The most important first.'),
    links: z
      .array(z.object({ text: z.string(), target: z.string() }))
      .describe('The links of the HTML, or of the text if there is no HTML: what each shows, and where it leads.'),
    linkCount: z.number().int().describe('How many links there are, including those that are not listed.'),
    body: z
      .string()
      .nullable()
      .describe('The HTML as text, with each link followed by its number; the text if there is no HTML. Cut.'),
    bodyIsCut: z.boolean(),
  })
  .meta({ id: 'ApprovalReview' });

/** The approval of one person, if several must approve. */
const approvalVoteSchema = z
  .object({
    memberId: idSchema.describe('The member who approved.'),
    at: timestampSchema,
    note: z.string().nullable().describe('The note of this approval.'),
  })
  .meta({ id: 'ApprovalVote' });

/** A held send with its full content. */
export const approvalSchema = z
  .object({
    id: idSchema,
    emailId: idSchema.describe('The held message.'),
    status: z.enum(APPROVAL_STATUSES),
    reasons: reasonsSchema,
    revision: z.number().int().describe('1 for the original message; every edit adds one.'),
    contentHash: z
      .string()
      .nullable()
      .describe(
        'Identifies exactly what this record shows, including files. Pass it with the decision, so that nothing else is decided. Null for a caller that may not see the content.',
      ),
    keyId: idSchema.describe('The key that sent it.'),
    keyName: z.string().nullable(),
    agentName: z.string().nullable(),
    source: sourceSchema,
    channel: channelSchema,
    from: z.string(),
    to: z.array(z.string()).describe('Mailboxes with the names that are sent: `a@b.c` or `Name <a@b.c>`.'),
    cc: z.array(z.string()).describe('Like `to`.'),
    bcc: z.array(z.string()).describe('Like `to`.'),
    subject: z.string(),
    text: z.string().nullable().describe('As it would be delivered; null if there is none, or it is no longer stored.'),
    html: z
      .string()
      .nullable()
      .describe('As it would be delivered, before tracking; null if there is none, or it is no longer stored.'),
    attachments: z.array(storedAttachmentSchema),
    scheduledAt: timestampSchema.nullable(),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.describe('When the hold expires if no one decides.'),
    decidedAt: timestampSchema.nullable(),
    decidedBy: z.string().nullable().describe('The id of the key or user; `system` if it expired.'),
    approvers: approversSchema.describe(
      'Who can approve it now, and how: the strictest of the rules of the account and of the keys that sent it.',
    ),
    votes: z
      .array(approvalVoteSchema)
      .describe(
        'If several people must approve: the approvals of this revision so far, oldest first. The message is sent after the last one. Empty if one person is enough.',
      ),
    ...decisionFields,
    outcome: z
      .enum(['queued', 'failed'])
      .nullable()
      .describe('After an approval: `queued`, or `failed` if the acceptance check refused the message at that time.'),
    problem: problemSchema.nullable().describe('Why it failed.'),
    replyTo: z.string().nullable().describe('Where replies are sent; null if that is `from`.'),
    headers: z
      .record(z.string(), z.string())
      .nullable()
      .describe('The additional headers of the request; null if they are no longer stored.'),
    unsubscribe: z.boolean().describe('Whether each recipient gets a separate unsubscribe link.'),
    receipt: z
      .string()
      .nullable()
      .describe(
        'The signed receipt of the decision, a JWS: who decided what and when. Null before a decision, without one, in lists, and for a caller that may not see the content and, if members decided, for one without `team:read`, because it has their addresses.',
      ),
    review: approvalReviewSchema
      .nullable()
      .optional()
      .describe(
        'Only in a read with `review=true`: what an approver should look at, read from the whole message. Null if it could not be checked, because it is too large or the server is busy.',
      ),
  })
  .meta({ id: 'Approval' });

/** A hold after a decision. A caller may decide without the permission to read. */
export const decidedApprovalSchema = approvalSchema
  .extend({
    keyId: idSchema.nullable().describe('The key that sent it.'),
    source: sourceSchema.nullable(),
    channel: channelSchema.nullable(),
    from: z.string().nullable(),
    subject: z.string().nullable(),
    unsubscribe: z.boolean().nullable().describe('Whether each recipient gets a separate unsubscribe link.'),
  })
  .describe(
    'The hold after the decision. A caller that may not read the hold gets its status, the decision and the outcome; everything else is null or empty.',
  )
  .meta({ id: 'DecidedApproval' });

export const approvalEditsSchema = z
  .strictObject({
    to: recipientsSchema(1).optional(),
    cc: recipientsSchema(0).optional(),
    bcc: recipientsSchema(0).optional(),
    subject: headerText(1, LIMITS.subjectCharacters).optional(),
    html: bodyText(1, LIMITS.bodyBytes)
      .optional()
      .describe('Text that was derived from the HTML is derived again, unless you pass `text` too.'),
    text: bodyText(0, LIMITS.bodyBytes).optional(),
    scheduled_at: scheduledAtSchema.optional(),
  })
  .describe('What to change before it is sent, with the field names of a send. Each replaces the whole field.')
  .meta({ id: 'ApprovalEdits' });

const decisionSchema = z.enum(['approve', 'reject']);
const noteSchema = z
  .string()
  .max(LIMITS.approvalNoteCharacters)
  .optional()
  .describe('Stored with the decision, and shown to the sender.');

const approvalDecisionSchema = z.strictObject({
  decision: decisionSchema,
  contentHash: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'The hash of the record you reviewed. If it no longer matches, nothing is decided (409 `approval_changed`).',
    ),
  note: noteSchema,
  rejectCode: z.enum(REJECT_CODES).optional().describe('Of a rejection.'),
  edits: approvalEditsSchema.optional(),
  remember: z
    .literal(true)
    .optional()
    .describe(
      'Trusts these recipients for this key from now on: `firstContact` and `recipientDomainNotIn` no longer hold messages to them. If several people must approve, it applies only if all of them ask for it.',
    ),
});

/** Fields of an approval are not allowed in a rejection, and vice versa. */
export const newApprovalDecisionSchema = approvalDecisionSchema
  .superRefine(({ decision, rejectCode, edits, remember }, context) => {
    const misplaced = decision === 'approve' ? Object.entries({ rejectCode }) : Object.entries({ edits, remember });
    for (const [name, given] of misplaced) {
      if (given === undefined) continue;
      const message = decision === 'approve' ? 'is only allowed with a rejection' : 'is only allowed with an approval';
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
      .describe(`Holds, 1 to ${LIMITS.approvalsPerCall}; each is decided separately.`),
    decision: decisionSchema,
    note: noteSchema,
  })
  .meta({ id: 'ApprovalDecisions' });

export const approvalResultSchema = z
  .object({
    index: z.number().int().describe('Position of the id in the request.'),
    id: z.string(),
    ok: z
      .boolean()
      .describe('Whether the decision was recorded. If more people must approve, the hold is still `pending`.'),
    approval: decidedApprovalSchema.optional(),
    error: problemSchema.optional().describe('The error of a hold that was not decided.'),
    retryAfterSeconds: retryAfterSecondsSchema.optional(),
  })
  .meta({ id: 'ApprovalResult' });

export type Approval = z.input<typeof approvalSchema>;
export type DecidedApproval = z.input<typeof decidedApprovalSchema>;
export type ApprovalReview = z.input<typeof approvalReviewSchema>;
export type ApprovalEdits = z.output<typeof approvalEditsSchema>;
export type ApprovalDecision = z.output<typeof newApprovalDecisionSchema>;
