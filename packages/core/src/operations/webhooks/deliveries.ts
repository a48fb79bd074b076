import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { idSchema } from '../../schemas/identifiers.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';
import { timeBoundSchema } from '../../schemas/time-bound.ts';
import { webhookDeliverySchema, webhookEventTypeSchema, webhookParams } from '../../schemas/webhook.ts';

/** `until` must not be before `since`. */
function isInOrder({ since, until }: { readonly since?: Date | undefined; readonly until?: Date | undefined }) {
  return since === undefined || until === undefined || since <= until;
}

export const listWebhookDeliveries = defineOperation({
  id: 'webhooks.deliveries',
  method: 'GET',
  path: '/webhooks/:id/deliveries',
  access: { kind: 'key', scope: 'webhooks:read' },
  reach: 'none',
  summary: 'List the deliveries of an endpoint',
  description: `Every attempt to deliver an event to the endpoint, pending attempts included, newest first. They are kept for ${LIMITS.webhookRetentionDays} days by default. A pending attempt gets another id when it is made.`,
  effect: 'read',
  params: webhookParams,
  query: z
    .strictObject({
      event_type: webhookEventTypeSchema.optional().describe('Only events of this type.'),
      status: z.enum(['succeeded', 'failed', 'pending']).optional().describe('Only attempts with this status.'),
      event_id: idSchema.optional().describe('Only attempts for this event: the `id` of its payload.'),
      since: timeBoundSchema
        .optional()
        .describe('Created at or after this RFC 3339 time with an offset, or date (its start in UTC).'),
      until: timeBoundSchema.optional().describe('Created before this time or date.'),
      limit: limitSchema,
      cursor: cursorSchema,
    })
    .refine(isInOrder, {
      path: ['until'],
      message: 'must not be before `since`',
      params: { code: 'out_of_range' },
    }),
  status: 200,
  response: 'json',
  output: z.object({ deliveries: z.array(webhookDeliverySchema), ...pageFields }).meta({ id: 'WebhookDeliveryPage' }),
  errors: ['not_found', 'invalid_cursor'],
  mcp: {
    tool: 'list_webhook_deliveries',
    toolset: 'webhooks',
    title: 'List the deliveries of an endpoint',
    description:
      'Lists attempts to deliver events to one webhook endpoint, newest first, 20 at a time. Returns rows with the response of the receiver, and a cursor. Not for the events of a message: use get_email.',
  },
  cli: {
    command: 'webhooks deliveries',
    positional: ['id'],
    examples: ['postrider webhooks deliveries <id> --status failed'],
  },
});
