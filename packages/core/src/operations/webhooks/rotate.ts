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
  description: `Gives the endpoint a new secret, shown in \`secret\` this once. For ${LIMITS.webhookSecretGraceHours} hours deliveries carry two signatures, by the new secret and by the one before it, so that receivers can change at their leisure. A further rotation within that time ends the older of the two.`,
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
    description: `Gives a webhook endpoint a new signing secret, shown this once; for ${LIMITS.webhookSecretGraceHours} hours the old one signs too. Ask the user first, and do not call it twice: each call makes another secret. Not for changing the URL: use update_webhook. Answers the endpoint.`,
  },
  cli: { command: 'webhooks rotate', positional: ['id'], examples: ['postrider webhooks rotate <id>'] },
});
