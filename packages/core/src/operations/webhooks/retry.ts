import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { webhookDeliveryParams } from '../../schemas/webhook.ts';

export const retryWebhookDelivery = defineOperation({
  id: 'webhooks.retry',
  method: 'POST',
  path: '/webhooks/:id/deliveries/:deliveryId/retry',
  access: { kind: 'key', scope: 'webhooks:write' },
  reach: 'notifies',
  summary: 'Deliver an event again',
  description:
    'Delivers the event of this delivery again immediately, even if it succeeded, and restarts the retry schedule. A pending attempt is made now; if an attempt is in progress, another follows it. Refused while the endpoint is disabled.',
  effect: 'create',
  params: webhookDeliveryParams,
  status: 202,
  response: 'json',
  output: z.object({ queued: z.number().int() }).meta({ id: 'WebhookRetryAccepted' }),
  errors: ['not_found', 'webhook_disabled'],
  mcp: {
    tool: 'retry_webhook_delivery',
    toolset: 'webhooks',
    title: 'Deliver an event again',
    description:
      'Retries one webhook delivery now, by the ids of the endpoint and the delivery. Returns how many were queued, which is 1. Not for many events: use replay_webhook.',
  },
  cli: {
    command: 'webhooks retry',
    positional: ['id', 'deliveryId'],
    examples: ['postrider webhooks retry <id> <delivery-id>'],
  },
});
