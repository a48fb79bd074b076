import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';
import { webhookSchema } from '../../schemas/webhook.ts';

export const listWebhooks = defineOperation({
  id: 'webhooks.list',
  method: 'GET',
  path: '/webhooks',
  access: { kind: 'key', scope: 'webhooks:read' },
  reach: 'none',
  summary: 'List webhook endpoints',
  description: 'The account’s webhook endpoints, newest first, without their secrets.',
  effect: 'read',
  query: z.strictObject({ limit: limitSchema, cursor: cursorSchema }),
  status: 200,
  response: 'json',
  output: z.object({ webhooks: z.array(webhookSchema), ...pageFields }).meta({ id: 'WebhookPage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_webhooks',
    toolset: 'webhooks',
    title: 'List webhook endpoints',
    description:
      'Lists the webhook endpoints of the account, newest first, 20 at a time. Returns rows with URL, event filter and status, and a cursor. Not for deliveries: use list_webhook_deliveries.',
  },
  cli: { command: 'webhooks list', examples: ['postrider webhooks list'] },
});
