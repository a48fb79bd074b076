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
    'Changes what is given. A disabled endpoint gets nothing: what waited for it is dropped, and events go on being stored, so that a replay brings them once it is enabled again. Enabling forgets its failures. A new URL and filter hold for what is delivered from then on, what waits included.',
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
      'Changes the URL, description or event filter of a webhook endpoint, or disables and enables it by `status`. Ask the user before changing where events go. Disabling drops what waits. Not for a new secret: use rotate_webhook. Answers the endpoint.',
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
