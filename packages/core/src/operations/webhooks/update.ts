import { defineOperation } from '../../operation.ts';
import { webhookChangesSchema, webhookParams, webhookSchema } from '../../schemas/webhook.ts';

export const updateWebhook = defineOperation({
  id: 'webhooks.update',
  method: 'PATCH',
  path: '/webhooks/:id',
  access: { kind: 'key', scope: 'webhooks:write' },
  reach: 'notifies',
  summary: 'Change a webhook endpoint',
  description:
    'Changes the fields you pass. A disabled endpoint receives nothing: its pending deliveries are dropped, but events are still stored, so that you can replay them once it is enabled again. Enabling clears its failures. A new URL and filter apply to every later delivery, pending ones included.',
  effect: 'update',
  params: webhookParams,
  body: webhookChangesSchema,
  status: 200,
  response: 'json',
  output: webhookSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'update_webhook',
    toolset: 'webhooks',
    title: 'Change a webhook endpoint',
    description:
      'Updates the URL, description or event filter of a webhook endpoint, or enables and disables it with `status`. Disabling drops pending deliveries. Ask the user before you change the URL. Returns the endpoint. Not for a new secret: use rotate_webhook.',
  },
  cli: {
    command: 'webhooks update',
    positional: ['id'],
    examples: [
      'postrider webhooks update <id> --status disabled',
      'postrider webhooks update <id> --events email.bounced',
    ],
  },
});
