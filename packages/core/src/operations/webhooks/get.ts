import { defineOperation } from '../../operation.ts';
import { webhookParams, webhookSchema } from '../../schemas/webhook.ts';

export const getWebhook = defineOperation({
  id: 'webhooks.get',
  method: 'GET',
  path: '/webhooks/:id',
  access: { kind: 'key', scope: 'webhooks:read' },
  reach: 'none',
  summary: 'Read a webhook endpoint',
  description: 'One webhook endpoint, without its secret.',
  effect: 'read',
  params: webhookParams,
  status: 200,
  response: 'json',
  output: webhookSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'get_webhook',
    toolset: 'webhooks',
    title: 'Read a webhook endpoint',
    description:
      'Reads one webhook endpoint by id. Returns its URL, event filter, status with the reason if it is disabled, and since when it fails. Not for deliveries: use list_webhook_deliveries.',
  },
  cli: { command: 'webhooks get', positional: ['id'], examples: ['postrider webhooks get <id>'] },
});
