import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { newWebhookSchema, webhookWithSecretSchema } from '../../schemas/webhook.ts';

export const createWebhook = defineOperation({
  id: 'webhooks.create',
  method: 'POST',
  path: '/webhooks',
  access: { kind: 'key', scope: 'webhooks:write' },
  reach: 'notifies',
  summary: 'Add a webhook endpoint',
  description: `From now on the account’s events are posted to the URL, signed as Standard Webhooks describes it with the \`secret\`, which is shown this once. An answer of 2xx within ${LIMITS.webhookSeconds} seconds is success; redirects are not followed. Otherwise it is tried again, ${LIMITS.webhookAttempts} times over about 75 hours, \`retry-after\` is honoured, and 410 disables the endpoint. A URL that is not https, holds a user name or password, or leads to an address inside a network is 422. At most ${LIMITS.webhooksPerAccount} endpoints (422 with \`too_many\` at \`url\`).`,
  effect: 'create',
  body: newWebhookSchema,
  status: 201,
  response: 'json',
  output: webhookWithSecretSchema,
  errors: [],
  mcp: {
    tool: 'create_webhook',
    toolset: 'webhooks',
    title: 'Add a webhook endpoint',
    description:
      'Adds an https URL that the account’s events are posted to, all or those named in `events`. Ask the user first: what is posted names recipients and subjects. Not for a program on a laptop: simulate_webhook is. Answers the endpoint with its signing secret, shown this once.',
  },
  cli: {
    command: 'webhooks create',
    positional: ['url'],
    examples: ['postrider webhooks create https://example.com/hooks --events email.delivered,email.bounced'],
  },
});
