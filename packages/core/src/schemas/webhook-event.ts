import { z } from 'zod';
import { CLASSIFICATIONS, type Classification } from '../events.ts';
import {
  type AccountEventType,
  describeEventType,
  EMAIL_EVENT_NAMES,
  type EmailEventType,
  EVENT_API_VERSION,
  QUOTA_THRESHOLDS,
  type WebhookEventType,
} from '../webhook-events.ts';
import { approvalSchema } from './approval.ts';
import { domainSchema } from './domain.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { keySchema } from './key.ts';
import { storedAttachmentSchema } from './message.ts';
import { channelSchema, sourceSchema } from './provenance.ts';
import { suppressionSchema } from './suppression.ts';
import { webhookSchema } from './webhook.ts';

const CLASSIFICATION_NAMES = Object.keys(CLASSIFICATIONS) as Classification[]; // Object.keys widens to string.

/** When an event has no content. */
const WITHHELD = 'of a held message that no one has approved';

/** The data of a message event. */
const emailEventDataSchema = z
  .object({
    emailId: idSchema,
    seq: z
      .number()
      .int()
      .describe('Position in the message’s events, from 1: webhooks may arrive in a different order.'),
    recipient: z.string().nullable().describe('The recipient it is about; null where it is about the whole message.'),
    from: z
      .string()
      .describe('The sender in the request. For a held message that no one has approved, the address without a name.'),
    to: z.string().describe('The `to` addresses, joined by a comma and a space.'),
    subject: z.string().nullable().describe(`Null ${WITHHELD}.`),
    tags: z.array(z.string()).describe(`Empty ${WITHHELD}.`),
    metadata: z.record(z.string(), z.string()).describe(`The value of the send; empty ${WITHHELD}.`),
    channel: channelSchema,
    source: sourceSchema,
    agentName: z.string().nullable().describe(`Null if not set, and ${WITHHELD}.`),
    classification: z
      .enum(CLASSIFICATION_NAMES)
      .nullable()
      .describe('Set for bounces and complaints; null for every other event.'),
    detail: z.string().nullable().describe('The response of the mail server, or the reason; may quote third parties.'),
    occurredAt: timestampSchema,
  })
  .meta({ id: 'EmailEventData' });

/** How much of the monthly quota is used. */
const quotaThresholdDataSchema = z
  .object({
    limit: z.number().int().describe('The monthly quota.'),
    used: z.number().int(),
    threshold: z.union(QUOTA_THRESHOLDS.map((percent) => z.literal(percent))).describe('Percent.'),
  })
  .meta({ id: 'QuotaThresholdData' });

/** The record without bodies and headers. Events leave the installation, so they have no content before the hold is approved. */
const approvalEventDataSchema = approvalSchema
  .omit({ html: true, text: true, headers: true, receipt: true })
  .extend({
    from: z.string().describe('The sender in the request; without a name until the hold is approved.'),
    to: z
      .array(z.string())
      .describe('Mailboxes with the names that are sent; addresses only until the hold is approved.'),
    subject: z.string().nullable().describe('Null until the hold is approved.'),
    contentHash: z
      .string()
      .nullable()
      .describe(
        'Identifies exactly what was approved, including files. Null until the hold is approved, and for a key that may not see the content.',
      ),
    agentName: z.string().nullable().describe('Null if not set, and until the hold is approved.'),
    attachments: z.array(storedAttachmentSchema).describe('Empty until the hold is approved.'),
    replyTo: z
      .string()
      .nullable()
      .describe('Where replies are sent; null if that is `from`, and until the hold is approved.'),
  })
  .meta({ id: 'ApprovalEventData' });

/** The `data` of events that are not about a message. */
const ACCOUNT_EVENT_DATA = {
  'approval.requested': approvalEventDataSchema,
  'approval.voted': approvalEventDataSchema,
  'approval.decided': approvalEventDataSchema,
  'approval.reminder': approvalEventDataSchema,
  'domain.verified': domainSchema,
  'domain.degraded': domainSchema,
  'domain.failed': domainSchema,
  'suppression.added': suppressionSchema,
  'suppression.removed': suppressionSchema,
  'quota.threshold': quotaThresholdDataSchema,
  'key.expiring': keySchema,
  'webhook.disabled': webhookSchema,
  'webhook.test': webhookSchema,
} as const satisfies Record<AccountEventType, z.ZodType>;

export type EmailEventData = z.input<typeof emailEventDataSchema>;
export type EventData<Type extends WebhookEventType> = Type extends AccountEventType
  ? z.input<(typeof ACCOUNT_EVENT_DATA)[Type]>
  : EmailEventData;

/** A payload: what is posted to endpoints, and streamed to listeners. */
export interface WebhookEvent<Type extends WebhookEventType = WebhookEventType> {
  readonly id: string;
  readonly type: Type;
  readonly createdAt: string;
  readonly apiVersion: typeof EVENT_API_VERSION;
  readonly data: EventData<Type>;
}

/** The payload schema per event type, named `EmailDeliveredEvent`, `QuotaThresholdEvent` and so on. */
export const WEBHOOK_EVENT_SCHEMAS: ReadonlyMap<WebhookEventType, z.ZodType> = new Map<WebhookEventType, z.ZodType>([
  ...EMAIL_EVENT_NAMES.map((type) => [type, payloadOf(type, emailEventDataSchema)] as const),
  // Object.entries widens the names; the literal has only event types.
  ...(Object.entries(ACCOUNT_EVENT_DATA) as [AccountEventType, z.ZodType][]).map(
    ([type, data]) => [type, payloadOf(type, data)] as const,
  ),
]);

function payloadOf(type: EmailEventType | AccountEventType, data: z.ZodType): z.ZodType {
  return z
    .object({
      id: idSchema.describe(
        'The same for every attempt and replay, so that a receiver can skip an event it has already processed.',
      ),
      type: z.literal(type),
      createdAt: timestampSchema,
      apiVersion: z.literal(EVENT_API_VERSION),
      data,
    })
    .describe(describeEventType(type))
    .meta({ id: eventSchemaName(type) });
}

/** `email.pending_approval` is described by `EmailPendingApprovalEvent`. */
export function eventSchemaName(type: WebhookEventType): string {
  return `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
}
