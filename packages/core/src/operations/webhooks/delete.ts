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
    'Removes the endpoint with its secret and its delivery log. Pending events are not delivered. Returns the endpoint in its last state.',
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
      'Deletes a webhook endpoint with its log, permanently. Ask the user first. Returns the endpoint in its last state. Not for stopping deliveries temporarily: use update_webhook.',
  },
  cli: { command: 'webhooks delete', positional: ['id'], examples: ['postrider webhooks delete <id>'] },
});
