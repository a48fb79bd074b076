import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { idSchema, timestampSchema } from '../../schemas/identifiers.ts';
import { scheduledAtSchema } from '../../schemas/scheduled-at.ts';

export const rescheduleEmail = defineOperation({
  id: 'emails.reschedule',
  method: 'PATCH',
  path: '/emails/:id',
  access: { kind: 'key', scope: 'emails:cancel' },
  reach: 'outbound',
  summary: 'Change when a queued email is sent',
  description:
    'Changes the time of a message while it is `queued` for every recipient. A message without a time can be delayed the same way, and the current time sends it immediately. Later the response is 409 `message_not_queued` with `currentStatus`. A restricted key (held, test, with an allowlist or a send limit) can only change messages that it sent itself. A held key cannot change messages that wait for an approver or were approved (403 `permission_escalation`). No one can change the time of an approved message if its approval needs a passkey, several people or named approvers: cancel it and send it again. A new time is checked like a send, by the current rules of the calling key and of the key that sent the message: it is refused if a key or the account is paused (403 `sending_paused`), if an allowlist lacks a recipient (403 `recipient_not_allowed`; `missing_scope` if the calling key may not see all recipients), and if the calling key would be held (403 `permission_escalation`; of a policy, rules about links, templates and first contact count as holding). Users are not restricted by these rules of keys.',
  effect: 'update',
  params: z.object({ id: z.string().describe('Message id.') }),
  body: z.strictObject({ scheduled_at: scheduledAtSchema }),
  status: 200,
  response: 'json',
  output: z
    .object({
      id: idSchema,
      status: z.literal('queued'),
      scheduledAt: timestampSchema.describe('When it will be sent.'),
    })
    .meta({ id: 'RescheduledEmail' }),
  errors: ['not_found', 'permission_escalation', 'sending_paused', 'recipient_not_allowed', 'message_not_queued'],
  mcp: {
    tool: 'reschedule_email',
    toolset: 'logs',
    title: 'Change when an email is sent',
    description:
      'Changes when a message that is still queued is sent: later, earlier or now. Returns the new time. Not for messages that are already being sent: the error has their current status. Not for canceling: use cancel_email.',
  },
  cli: {
    command: 'emails reschedule',
    description:
      'Changes the time of an email while it is queued for every recipient; later the command fails with message_not_queued. The current time sends it immediately. The new time is checked like a send, by the current rules of the calling key and of the key that sent the email. A restricted key (held, test, with an allowlist or a send limit) can change only messages that it sent itself, and a held key none that an approver decides. No one can change the time of an approved email if its approval needs a passkey, several people or named approvers. Otherwise the command fails with permission_escalation.',
    positional: ['id'],
    examples: ['postrider emails reschedule <id> --scheduled-at PT2H'],
  },
});
