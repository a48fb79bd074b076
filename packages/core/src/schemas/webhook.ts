import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { WEBHOOK_EVENT_NAMES, type WebhookEventType } from '../webhook-events.ts';
import { hasForbiddenCharacter } from './email-address.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { headerText } from './text.ts';

/** Why an endpoint is disabled. */
export const DISABLED_REASONS = {
  manual: 'A user or key disabled it.',
  gone: 'It responded with 410.',
  failing: `For ${LIMITS.webhookFailingDays} days it returned only failures, at least ${LIMITS.webhookFailuresMin}.`,
} as const;

export type DisabledReason = keyof typeof DISABLED_REASONS;

const REASON_NAMES = Object.keys(DISABLED_REASONS) as DisabledReason[]; // Object.keys widens to string.

export const webhookEventTypeSchema = z
  // The list has all event types, and at least one.
  .enum(WEBHOOK_EVENT_NAMES as [WebhookEventType, ...WebhookEventType[]])
  .meta({ id: 'WebhookEventType' });

/** An endpoint as reads show it: never its secret. */
const webhookFields = {
  id: idSchema,
  url: z.string(),
  description: z.string().nullable(),
  events: z.array(webhookEventTypeSchema).describe('The types of events it receives; an empty list means all.'),
  status: z.enum(['enabled', 'disabled']),
  disabledReason: z
    .enum(REASON_NAMES)
    .nullable()
    .describe(
      `${REASON_NAMES.map((name) => `\`${name}\`: ${DISABLED_REASONS[name]}`).join(' ')} Null while it is enabled.`,
    ),
  failingSince: timestampSchema
    .nullable()
    .describe('The first failure since the last success; null if the last attempt succeeded, or none was made.'),
  createdAt: timestampSchema,
};

export const webhookSchema = z.object(webhookFields).meta({ id: 'Webhook' });

/** An endpoint with its secret, as returned by creation and rotation. */
export const webhookWithSecretSchema = z
  .object({
    ...webhookFields,
    secret: z.string().describe('`whsec_` and the signing key in base64, as in Standard Webhooks. Shown only once.'),
  })
  .meta({ id: 'WebhookWithSecret' });

export const webhookParams = z.object({ id: z.string().describe('The id of the endpoint.') });

export const webhookDeliveryParams = webhookParams.extend({
  deliveryId: z.string().describe('The id of the delivery.'),
});

/** A filter by event types, without duplicates. */
const eventsFilterSchema = z
  .array(webhookEventTypeSchema)
  .max(LIMITS.webhookEventFilters)
  .transform((types) => [...new Set(types)]);

const urlSchema = z
  .string()
  .min(1)
  .max(LIMITS.urlCharacters)
  .refine((given) => /^https?:\/\/[^\s/]/i.test(given), {
    message: 'must be an https URL',
    params: { code: 'invalid_url' },
  })
  // URL parsing ignores line breaks, but the text itself is stored and appears in mail, logs and terminals.
  .refine((given) => !/\s/.test(given) && !hasForbiddenCharacter(given), {
    message: 'must not contain white space, control or text-direction characters',
    params: { code: 'invalid_url' },
  });

const endpointFields = {
  url: urlSchema.describe(
    `Where events are posted to: https (in development also http), without a user name or password, and not to a private network address. At most ${LIMITS.urlCharacters} characters.`,
  ),
  description: headerText(1, LIMITS.webhookDescriptionCharacters)
    .nullable()
    .optional()
    .describe(`Shown to users; 1 to ${LIMITS.webhookDescriptionCharacters} characters.`),
  events: eventsFilterSchema.optional().describe('The types of events it should receive. Default: all.'),
};

export const newWebhookSchema = z.strictObject(endpointFields).meta({ id: 'NewWebhook' });

export const webhookChangesSchema = z
  .strictObject({
    url: endpointFields.url.optional(),
    description: endpointFields.description,
    events: eventsFilterSchema.optional().describe('The types of events it should receive; an empty list means all.'),
    status: z
      .enum(['enabled', 'disabled'])
      .optional()
      .describe('`disabled` stops deliveries at once and drops waiting ones; `enabled` starts them again.'),
  })
  .meta({ id: 'WebhookChanges' });

/** One attempt to deliver an event to an endpoint: made, or waiting to be made. */
const deliveryFields = {
  id: idSchema,
  eventId: idSchema.describe('The `id` of the payload; the same at every attempt and replay.'),
  eventType: webhookEventTypeSchema,
  attempt: z.number().int().describe('Number of the attempt at this event and endpoint, including replays, from 1.'),
  status: z
    .enum(['succeeded', 'failed', 'pending'])
    .describe('`pending`: not made yet; `nextAttemptAt` says when it is due.'),
  statusCode: z.number().int().nullable().describe('The status the receiver returned; null if it did not respond.'),
  error: z.string().nullable().describe('Why it failed, in words.'),
  durationMs: z.number().int().nullable(),
  responseBody: z
    .string()
    .nullable()
    .describe(`The beginning of the response, at most ${LIMITS.webhookResponseBytes} bytes; text of third parties.`),
  createdAt: timestampSchema.describe('When the attempt began; for a pending one, when it was queued.'),
  nextAttemptAt: timestampSchema
    .nullable()
    .describe('For a failed attempt, when the next one is due; for a pending one, when it is due; else null.'),
};

export const webhookDeliverySchema = z.object(deliveryFields).meta({ id: 'WebhookDelivery' });

/** An attempt with its request. */
export const webhookDeliveryDetailSchema = z
  .object({
    ...deliveryFields,
    request: z
      .object({
        url: z.string().describe('The URL of the endpoint. If it was changed since the attempt, this is the new one.'),
        headers: z
          .record(z.string(), z.string())
          .describe(
            'The headers of the event, in lower case. `webhook-signature` is not stored and not shown; `webhook-timestamp` is the time it was made for, and absent for a pending attempt.',
          ),
        body: z
          .string()
          .nullable()
          .describe(
            'The payload, as JSON text. Null if the event is no longer stored, or is about something that the caller may not read, such as a held send without `approvals:read`. It contains no more than the key that chose the URL, and the caller, may see now.',
          ),
      })
      .describe('What was sent, or for a pending attempt what will be.'),
  })
  .meta({ id: 'WebhookDeliveryDetail' });

export type Webhook = z.input<typeof webhookSchema>;
export type WebhookDelivery = z.input<typeof webhookDeliverySchema>;
export type NewWebhookInput = z.output<typeof newWebhookSchema>;
export type WebhookChangesInput = z.output<typeof webhookChangesSchema>;
