import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { idSchema } from '../../schemas/identifiers.ts';
import { webhookParams } from '../../schemas/webhook.ts';

export const testWebhook = defineOperation({
  id: 'webhooks.test',
  method: 'POST',
  path: '/webhooks/:id/test',
  access: { kind: 'key', scope: 'webhooks:write' },
  reach: 'notifies',
  summary: 'Send a test event to an endpoint',
  description:
    'Sends an event of the type `webhook.test`, whose `data` is the endpoint’s record, to this endpoint only, regardless of its filter. The deliveries with this `event_id` show the result.',
  effect: 'create',
  params: webhookParams,
  status: 202,
  response: 'json',
  output: z.object({ eventId: idSchema.describe('The `id` of the payload.') }).meta({ id: 'WebhookTestAccepted' }),
  errors: ['not_found', 'webhook_disabled'],
  mcp: {
    tool: 'test_webhook',
    toolset: 'webhooks',
    title: 'Send a test event to an endpoint',
    description:
      'Tests a webhook endpoint with a signed test event. Returns the event’s id: pass it to list_webhook_deliveries to see the response of the receiver. Not for repeating real events: use replay_webhook.',
  },
  cli: {
    command: 'webhooks test',
    description:
      'Sends a test event to this endpoint only, regardless of its filter. Its data is the record of the endpoint. To see the result, run webhooks deliveries with the id of the event.',
    positional: ['id'],
    examples: ['postrider webhooks test <id>'],
  },
});
