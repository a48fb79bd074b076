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
    'Sends an event of the type `webhook.test`, whose `data` is the endpoint’s record, to this endpoint alone, whatever its filter. The deliveries with this `event_id` say what came of it.',
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
      'Sends a signed test event to one webhook endpoint. Not for repeating real events: use replay_webhook. Answers the event’s id; list_webhook_deliveries with it says what the receiver answered.',
  },
  cli: { command: 'webhooks test', positional: ['id'], examples: ['postrider webhooks test <id>'] },
});
