import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { WEBHOOK_EVENT_NAMES, type WebhookEventType } from '../webhook-events.ts';
import { hasForbiddenCharacter } from './email-address.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { headerText } from './text.ts';

/** Why an endpoint is disabled. */
export const DISABLED_REASONS = {
  manual: 'Somebody disabled it.',
  gone: 'It answered 410.',
  failing: `For ${LIMITS.webhookFailingDays} days it answered nothing but failures, ${LIMITS.webhookFailuresMin} or more.`,
} as const;

export type DisabledReason = keyof typeof DISABLED_REASONS;

const REASON_NAMES = Object.keys(DISABLED_REASONS) as DisabledReason[]; // Object.keys widens to string.

export const webhookEventTypeSchema = z
  // The list has all names, and at least one.
  .enum(WEBHOOK_EVENT_NAMES as [WebhookEventType, ...WebhookEventType[]])
  .meta({ id: 'WebhookEventType' });

/** An endpoint as reads show it: never its secret. */
const webhookFields = {
  id: idSchema,
  url: z.string(),
  description: z.string().nullable(),
  events: z.array(webhookEventTypeSchema).describe('The types of events it is told of; an empty list means all.'),
  status: z.enum(['enabled', 'disabled']),
  disabledReason: z
    .enum(REASON_NAMES)
    .nullable()
    .describe(
      `${REASON_NAMES.map((name) => `\`${name}\`: ${DISABLED_REASONS[name]}`).join(' ')} Null while it is enabled.`,
    ),
  failingSince: timestampSchema
    .nullable()
    .describe('The first failure since the last success; null where the last attempt succeeded, or none was made.'),
  createdAt: timestampSchema,
};

export const webhookSchema = z.object(webhookFields).meta({ id: 'Webhook' });

/** An endpoint with its secret, as creation and rotation answer it. */
export const webhookWithSecretSchema = z
  .object({
    ...webhookFields,
    secret: z
      .string()
      .describe('`whsec_` and the signing key in base64, as Standard Webhooks has it. Shown this once.'),
  })
  .meta({ id: 'WebhookWithSecret' });

export const webhookParams = z.object({ id: z.string().describe('The id of the endpoint.') });

/** A filter by types, each once. */
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
  // Parsing a URL leaves line breaks out, but what is kept is the text: it stands in mail, logs and terminals.
  .refine((given) => !/\s/.test(given) && !hasForbiddenCharacter(given), {
    message: 'must not contain white space, control or text-direction characters',
    params: { code: 'invalid_url' },
  });

const endpointFields = {
  url: urlSchema.describe(
    `Where events are posted to: https (http too in development), without a user name or password, and no address inside a network. At most ${LIMITS.urlCharacters} characters.`,
  ),
  description: headerText(1, LIMITS.webhookDescriptionCharacters)
    .nullable()
    .optional()
    .describe(`For people; 1 to ${LIMITS.webhookDescriptionCharacters} characters.`),
  events: eventsFilterSchema.optional().describe('The types of events it is to be told of; all unless given.'),
};

export const newWebhookSchema = z.strictObject(endpointFields).meta({ id: 'NewWebhook' });

export const webhookChangesSchema = z
  .strictObject({
    url: endpointFields.url.optional(),
    description: endpointFields.description,
    events: eventsFilterSchema.optional().describe('The types of events it is to be told of; an empty list means all.'),
    status: z
      .enum(['enabled', 'disabled'])
      .optional()
      .describe('`disabled` stops deliveries at once, and what waits is dropped; `enabled` begins anew.'),
  })
  .meta({ id: 'WebhookChanges' });

/** One attempt to deliver an event to an endpoint: made, or waiting to be made. */
export const webhookDeliverySchema = z
  .object({
    id: idSchema,
    eventId: idSchema.describe('The `id` of the payload; the same at every attempt and replay.'),
    eventType: webhookEventTypeSchema,
    attempt: z.number().int().describe('Counts the attempts at this event and endpoint, replays included, from 1.'),
    status: z
      .enum(['succeeded', 'failed', 'pending'])
      .describe('`pending`: not made yet; `nextAttemptAt` says when it is due.'),
    statusCode: z.number().int().nullable().describe('What the receiver answered; null where it did not.'),
    error: z.string().nullable().describe('Why it failed, in words.'),
    durationMs: z.number().int().nullable(),
    responseBody: z
      .string()
      .nullable()
      .describe(`The beginning of the answer, at most ${LIMITS.webhookResponseBytes} bytes; text of third parties.`),
    createdAt: timestampSchema.describe('When the attempt began; of one that waits, when it was queued.'),
    nextAttemptAt: timestampSchema
      .nullable()
      .describe('Of a failed one, when the next is due; of a pending one, when it is due itself; else null.'),
  })
  .meta({ id: 'WebhookDelivery' });

export type Webhook = z.input<typeof webhookSchema>;
export type WebhookDelivery = z.input<typeof webhookDeliverySchema>;
export type NewWebhookInput = z.output<typeof newWebhookSchema>;
export type WebhookChangesInput = z.output<typeof webhookChangesSchema>;
