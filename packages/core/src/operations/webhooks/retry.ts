import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

export const retryWebhookDelivery = defineOperation({
  id: 'webhooks.retry',
  method: 'POST',
  path: '/webhooks/:id/deliveries/:deliveryId/retry',
  access: { kind: 'key', scope: 'webhooks:write' },
  reach: 'notifies',
  summary: 'Deliver an event again',
  description:
    'Delivers the event of this delivery once more, at once, also where it succeeded; the schedule of retries begins anew. One that waits is made at once; where an attempt is under way, another follows it. Refused while the endpoint is disabled.',
  effect: 'create',
  params: z.object({
    id: z.string().describe('The id of the endpoint.'),
    deliveryId: z.string().describe('The id of the delivery.'),
  }),
  status: 202,
  response: 'json',
  output: z.object({ queued: z.number().int() }).meta({ id: 'WebhookRetryAccepted' }),
  errors: ['not_found', 'webhook_disabled'],
  mcp: {
    tool: 'retry_webhook_delivery',
    toolset: 'webhooks',
    title: 'Deliver an event again',
    description:
      'Delivers the event of one webhook delivery again, at once, by the ids of the endpoint and the delivery. Not for many: use replay_webhook. Answers how many were queued, which is 1.',
  },
  cli: {
    command: 'webhooks retry',
    positional: ['id', 'deliveryId'],
    examples: ['postrider webhooks retry <id> <delivery-id>'],
  },
});
