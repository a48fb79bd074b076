import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { idempotencyKeySchema, idSchema } from '../../schemas/identifiers.ts';
import { acceptedStatusSchema, heldFields } from '../../schemas/send-accepted.ts';
import { SEND_RESPONSE_HEADERS } from '../../schemas/send-headers.ts';

export const resendEmail = defineOperation({
  id: 'emails.resend',
  method: 'POST',
  path: '/emails/:id/resend',
  access: { kind: 'key', scope: 'emails:send' },
  reach: 'outbound',
  summary: 'Send an email again',
  description:
    'Sends the stored message again, whatever its status, as a new message with its own events: the rendered body, files, headers, tags, metadata and provenance of the first, to the same recipients, at once. It is sent under the key that sent the first. The stricter of that key and the caller applies (approval mode, allowlist, test mode, send limit, persona), and a hold belongs to the caller. The acceptance check runs again, with quota and suppressions. For a key without `emails:read`, messages of other senders do not exist (`not_found`). A key without `emails:content-all` cannot resend a message of another sender with blind recipients (`missing_scope`), and if one of the keys holds by `linkDomainNotIn` or `hasAttachments`, any message of another sender is held. Refused if that key was revoked or has expired, or if the stored body is gone, as it is after canceling.',
  effect: 'send',
  params: z.object({ id: z.string().describe('Message id.') }),
  headers: z.object({ 'idempotency-key': idempotencyKeySchema.optional() }),
  status: 202,
  response: 'json',
  output: z
    .object({
      id: idSchema,
      status: acceptedStatusSchema,
      resendOf: idSchema.describe('The id of the original message.'),
      ...heldFields,
    })
    .meta({ id: 'ResendAccepted' }),
  responseHeaders: SEND_RESPONSE_HEADERS,
  errors: [
    'not_found',
    'issuing_key_revoked',
    'body_expired',
    'quota_exceeded',
    'recipient_not_allowed',
    'domain_not_verified',
    'account_suspended',
    'sending_paused',
    'send_limit_reached',
    'too_many_held',
    'persona_locked',
    'idempotency_in_progress',
    'idempotency_key_reused',
    'recipient_suppressed',
  ],
  mcp: {
    tool: 'resend_email',
    toolset: null,
    title: 'Send an email again',
    description:
      'Sends a stored message again to the same recipients, by its id. Returns the id of the new message with status `queued`: call wait_for_email with it for the outcome. Not for a delivery that is still being retried. Not for changed content: use send_email.',
  },
  cli: {
    command: 'emails resend',
    description:
      'Sends the stored email again, whatever its status, as a new one with its own events: the rendered body, files, headers, tags, metadata and provenance of the first, to the same recipients, at once. It is sent under the key that sent the first. The stricter of that key and the caller applies (approval mode, allowlist, test mode, send limit, persona), and a hold belongs to the caller. For a key without emails:read, emails of other senders do not exist (not_found). A key without emails:content-all cannot resend an email of another sender with blind recipients (missing_scope), and rules about links and files hold every email of another sender. Refused if that key was revoked or has expired, or if the stored body is gone, as it is after canceling.',
    positional: ['id'],
    examples: ['postrider emails resend <id> --wait'],
  },
});
