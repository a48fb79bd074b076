import { z } from 'zod';
import { CLASSIFICATIONS, type Classification, MESSAGE_EVENT_TYPES, MESSAGE_STATUSES } from '../events.ts';
import { LIMITS } from '../limits.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { messageApprovalSchema } from './message-approval.ts';
import { messageAttemptSchema } from './message-attempt.ts';
import { channelSchema, sourceSchema } from './provenance.ts';
import { RECIPIENT_KINDS } from './recipients.ts';

// Object.keys widens to string; the catalogs have exactly these names.
const STATUS_NAMES = Object.keys(MESSAGE_STATUSES) as (keyof typeof MESSAGE_STATUSES)[];
const EVENT_NAMES = Object.keys(MESSAGE_EVENT_TYPES) as (keyof typeof MESSAGE_EVENT_TYPES)[];
const CLASSIFICATION_NAMES = Object.keys(CLASSIFICATIONS) as Classification[];

export const messageStatusSchema = z
  .enum(STATUS_NAMES)
  .describe(STATUS_NAMES.map((name) => `\`${name}\`: ${MESSAGE_STATUSES[name]}`).join(' '))
  .meta({ id: 'MessageStatus' });

const messageFields = {
  id: idSchema,
  from: z.string().describe('The sender in the request.'),
  to: z.string().describe('The `to` addresses, joined by a comma and a space.'),
  subject: z.string(),
  status: messageStatusSchema,
  channel: channelSchema,
  source: sourceSchema,
  agentName: z.string().nullable(),
  tags: z.array(z.string()),
  createdAt: timestampSchema,
};

/** One row of the message log. */
export const messageRecordSchema = z.object(messageFields).meta({ id: 'MessageRecord' });

const messageEventSchema = z
  .object({
    id: idSchema,
    seq: z.number().int().describe('Position in the message’s events, from 1.'),
    type: z
      .enum(EVENT_NAMES)
      .describe(EVENT_NAMES.map((name) => `\`${name}\`: ${MESSAGE_EVENT_TYPES[name]}`).join(' ')),
    createdAt: timestampSchema,
    recipient: z.string().nullable().describe('The recipient it is about; null where it is about the whole message.'),
    classification: z
      .enum(CLASSIFICATION_NAMES)
      .nullable()
      .describe('Set for bounces and complaints; null for every other event.'),
    detail: z.string().nullable().describe('The response of the mail server, or the reason; may quote third parties.'),
  })
  .meta({ id: 'MessageEvent' });

const messageRecipientSchema = z
  .object({ email: z.string(), kind: z.enum(RECIPIENT_KINDS), status: messageStatusSchema })
  .meta({ id: 'MessageRecipient' });

export const storedAttachmentSchema = z.object({
  filename: z.string(),
  contentType: z.string(),
  size: z.number().int().describe('Bytes.'),
});

/** One message with its content and events. */
export const messageSchema = z
  .object({
    ...messageFields,
    html: z.string().nullable().describe('The rendered HTML body.'),
    text: z.string().nullable().describe('The rendered plain text body.'),
    headers: z.record(z.string(), z.string()).nullable().describe('The additional headers of the request.'),
    cc: z.array(z.string()),
    bcc: z.array(z.string()).describe('Bcc recipients: shown here, never written into the message.'),
    replyTo: z.string().nullable(),
    recipients: z.array(messageRecipientSchema),
    attachments: z.array(storedAttachmentSchema).nullable(),
    scheduledAt: timestampSchema.nullable(),
    metadata: z.record(z.string(), z.string()),
    template: z.string().nullable(),
    resendOf: idSchema.nullable(),
    keyId: idSchema
      .nullable()
      .describe(
        'The id of the key that the message was sent under; for a resend, the key of the first send. For mail of a user, the id of the member. Null for mail of the installation. A key always sees its own id here. To see the id of another key or of a member, it needs `keys:read`; otherwise this is null, and `redacted` lists it.',
      ),
    keyName: z
      .string()
      .nullable()
      .describe('The name of the key in `keyId`. Null for mail of a user, and whenever `keyId` is null.'),
    lastError: z.string().nullable().describe('The last failure in words; may quote third parties.'),
    bodyExpiresAt: timestampSchema.nullable().describe('When the stored body is removed.'),
    bodyExpired: z.boolean(),
    contentRedacted: z
      .boolean()
      .describe(
        'True if the key may not see the content: it needs `emails:content` for messages it sent itself, and `emails:content-all` for others; `html`, `text`, `headers` and `attachments` are then null.',
      ),
    redacted: z
      .array(z.string())
      .describe(
        'The names of the fields that the key may not see, or sees only in part. For a message that another key sent, a key without `emails:content-all` does not see the content, `bcc`, `metadata`, `replyTo`, `lastError` and the note of `approval`, and sees `recipients`, `events` and `attempts` without bcc recipients; attempts that had some show neither `reply` nor `conversation`. `keyId` and `keyName` of another key need `keys:read`.',
      ),
    approval: messageApprovalSchema.nullable().describe('Set for a message that is or was held; null for every other.'),
    events: z.array(messageEventSchema).describe('The event log of the message, oldest first.'),
    attempts: z
      .array(messageAttemptSchema)
      .describe(
        `The newest ${LIMITS.attemptsShown} delivery attempts, oldest first, one for each server that was tried. Recorded from this version on.`,
      ),
  })
  .meta({ id: 'Message' });

export type MessageRecord = z.input<typeof messageRecordSchema>;
export type Message = z.input<typeof messageSchema>;
