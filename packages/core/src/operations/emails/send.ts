import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { idempotencyKeySchema, idSchema } from '../../schemas/identifiers.ts';
import { agentNameSchema, sourceSchema } from '../../schemas/provenance.ts';
import { sendRequestSchema } from '../../schemas/send-request.ts';

export const sendEmail = defineOperation({
  id: 'emails.send',
  method: 'POST',
  path: '/emails',
  access: { kind: 'key', scope: 'emails:send' },
  summary: 'Send an email',
  description:
    'Accepts one message and answers at once with its id and `queued`; delivery happens afterwards in the background. Read the message, or wait on it, to learn the outcome. If any recipient is refused the whole send is refused, and `recipients` names each with its reason. Provenance is taken from the body first, then from the `X-Service-Agent` and `X-Service-Source` headers, then from the default (`agent` over MCP, else `backend`).',
  effect: 'send',
  headers: z.object({
    'idempotency-key': idempotencyKeySchema.optional(),
    'x-service-agent': agentNameSchema.optional().describe('Agent name, where the body has no `agent_name`.'),
    'x-service-source': sourceSchema.optional().describe('Source, where the body has no `source`.'),
  }),
  body: sendRequestSchema,
  upcoming: {
    query: ['dry_run'],
    body: ['template', 'variables', 'utm', 'attachments', 'scheduled_at', 'dry_run', 'unsubscribe'],
  },
  status: 202,
  response: 'json',
  output: z
    .object({
      id: idSchema,
      status: z.literal('queued').describe('Always `queued` on acceptance.'),
    })
    .meta({ id: 'SendAccepted' }),
  responseHeaders: {
    'idempotency-replayed': '`true` where the answer was given before for the same idempotency key.',
    'x-quota-limit': 'Recipients the account may send to this month (UTC).',
    'x-quota-remaining': 'Recipients left this month after this send.',
  },
  errors: [
    'quota_exceeded',
    'recipient_not_allowed',
    'domain_not_verified',
    'account_suspended',
    'idempotency_in_progress',
    'idempotency_key_reused',
    'recipient_suppressed',
  ],
  mcp: {
    tool: 'send_email',
    title: 'Send an email',
    description:
      'Sends one email from a verified domain of the account. Not for mass mailings. Answers at once with the id and status `queued`: that is acceptance, not delivery; call wait_for_email with the id to learn the outcome. Do not send again when unsure: read the message instead, or repeat with the same idempotency_key.',
  },
  cli: {
    command: 'emails send',
    examples: [
      'postrider send --from app@example.com --to ada@example.org --subject Hello --text "Hi Ada"',
      'postrider send --from app@example.com --to ada@example.org --subject Report --html @report.html --wait',
    ],
  },
});
