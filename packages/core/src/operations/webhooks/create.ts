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
  description: `Adds an endpoint: the account’s events are posted to the URL, signed as in Standard Webhooks with the \`secret\`, which is only returned once. A 2xx response within ${LIMITS.webhookSeconds} seconds is success; redirects are not followed. Other deliveries are retried, ${LIMITS.webhookAttempts} attempts over about 75 hours; \`retry-after\` is honored, and 410 disables the endpoint. A URL that is not https, contains a user name or password, or resolves to a private address is 422. At most ${LIMITS.webhooksPerAccount} endpoints (422 with \`too_many\` at \`url\`).`,
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
      'Creates a webhook endpoint: an https URL that receives the account’s events, all or those named in `events`. Ask the user first: events contain recipients and subjects. Returns the endpoint with its signing secret, shown only once. Not for a receiver on localhost: use simulate_webhook.',
  },
  cli: {
    command: 'webhooks create',
    description:
      'Adds an endpoint and shows its signing secret, once. The account’s events are posted to the URL, signed as in Standard Webhooks. The endpoint must accept each within 15 seconds; otherwise it is retried, 10 attempts over about 75 hours. The URL must be https, without a user name or password, and must not resolve to a private address. An account has at most 50 endpoints.',
    positional: ['url'],
    examples: ['postrider webhooks create https://example.com/hooks --events email.delivered,email.bounced'],
  },
});
