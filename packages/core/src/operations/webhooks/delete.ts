import { defineOperation } from '../../operation.ts';
import { webhookParams, webhookSchema } from '../../schemas/webhook.ts';

export const deleteWebhook = defineOperation({
  id: 'webhooks.delete',
  method: 'DELETE',
  path: '/webhooks/:id',
  access: { kind: 'key', scope: 'webhooks:write' },
  reach: 'notifies',
  summary: 'Delete a webhook endpoint',
  description:
    'Removes the endpoint with its secret and the log of its deliveries; what waits is not delivered any more. Answers the endpoint as it was.',
  effect: 'delete',
  params: webhookParams,
  status: 200,
  response: 'json',
  output: webhookSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'delete_webhook',
    toolset: 'webhooks',
    title: 'Delete a webhook endpoint',
    description:
      'Removes a webhook endpoint with its log; nothing is delivered to it any more, and it cannot be brought back. Ask the user first. Not for stopping deliveries for a while: use update_webhook. Answers the endpoint as it was.',
  },
  cli: { command: 'webhooks delete', positional: ['id'], examples: ['postrider webhooks delete <id>'] },
});
