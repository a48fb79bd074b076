import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { webhookParams, webhookWithSecretSchema } from '../../schemas/webhook.ts';

export const rotateWebhook = defineOperation({
  id: 'webhooks.rotate',
  method: 'POST',
  path: '/webhooks/:id/rotate',
  access: { kind: 'key', scope: 'webhooks:write' },
  reach: 'notifies',
  summary: 'Rotate the secret of a webhook endpoint',
  description: `Gives the endpoint a new secret, which is only returned once, in \`secret\`. For ${LIMITS.webhookSecretGraceHours} hours deliveries have two signatures, one with each secret, so that receivers have time to change. Another rotation within that time ends the older secret.`,
  effect: 'replace',
  params: webhookParams,
  status: 200,
  response: 'json',
  output: webhookWithSecretSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'rotate_webhook',
    toolset: 'webhooks',
    title: 'Rotate the secret of a webhook endpoint',
    description: `Rotates the signing secret of a webhook endpoint. Returns the endpoint with the new secret, shown only once; the old one also signs for ${LIMITS.webhookSecretGraceHours} hours. Ask the user first, and do not call it twice: each call makes another secret. Not for changing the URL: use update_webhook.`,
  },
  cli: { command: 'webhooks rotate', positional: ['id'], examples: ['postrider webhooks rotate <id>'] },
});
