import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { idempotencyKeySchema } from '../../schemas/identifiers.ts';
import { mailboxSchema } from '../../schemas/recipients.ts';
import { sendAcceptedSchema } from '../../schemas/send-accepted.ts';
import { templateReferenceParams } from '../../schemas/template.ts';
import { variablesSchema } from '../../schemas/template-variables.ts';

export const testTemplate = defineOperation({
  id: 'templates.test',
  method: 'POST',
  path: '/templates/:id/test',
  access: { kind: 'key', scope: 'emails:send' },
  reach: 'outbound',
  summary: 'Send a test of a template',
  description:
    'Sends the current version of a template, never a draft, to the caller’s own inbox: the address of the user who created the key, or of the account owner if that is not known. `to` is optional and can only be that address. Every rule and the quota apply as for any send. It is sent from the account’s first verified domain, or from the sandbox domain. In addition to `emails:send`, the key needs `templates:read` or `templates:write`.',
  effect: 'send',
  params: templateReferenceParams,
  headers: z.object({ 'idempotency-key': idempotencyKeySchema.optional() }),
  body: z.strictObject({
    variables: variablesSchema.optional(),
    to: mailboxSchema.optional().describe('The caller’s own address; anything else is refused.'),
  }),
  bodyBytes: LIMITS.templateBodyBytes,
  status: 202,
  response: 'json',
  output: sendAcceptedSchema,
  responseHeaders: {
    'idempotency-replayed':
      '`true` if this is the stored response to an earlier request with the same idempotency key.',
    'x-quota-limit': 'Recipients the account may send to this month (UTC).',
    'x-quota-remaining': 'Recipients left this month after this send.',
  },
  errors: [
    'not_found',
    'quota_exceeded',
    'recipient_not_allowed',
    'domain_not_verified',
    'account_suspended',
    'sending_paused',
    'send_limit_reached',
    'too_many_held',
    'idempotency_in_progress',
    'idempotency_key_reused',
    'recipient_suppressed',
    'template_not_found',
    'template_variable_missing',
    'template_render_failed',
  ],
  mcp: {
    tool: 'test_template',
    toolset: 'templates',
    title: 'Send a test of a template',
    description:
      'Sends a test of a template to the inbox of the user this key belongs to, with your sample variables. It counts against the quota. Returns the id for wait_for_email. Not for other recipients: use send_email. Not for a preview without mail: use render_template.',
  },
  cli: {
    command: 'templates test',
    description:
      'Sends the current version of a template, never a draft, to the caller’s own inbox: the address of the user who created the key, or of the account owner if that is not known. --to can only be that address. Every rule and the quota apply as for any send. It is sent from the account’s first verified domain, or from the sandbox domain. The key also needs templates:read or templates:write.',
    positional: ['id'],
    examples: [`postrider templates test welcome --variables '{"name":"Ada"}'`],
  },
});
