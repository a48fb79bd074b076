import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { idSchema } from '../../schemas/identifiers.ts';

/** Two operations cancel a message; they differ only in method and path. */
const canceling = {
  access: { kind: 'key', scope: 'emails:cancel' },
  reach: 'outbound',
  summary: 'Cancel a queued email',
  description:
    'Cancels a message before it reaches a mail server: while it is `queued` for every recipient (scheduled messages too), or while it is held for approval, which withdraws the hold. The message leaves the outbox, its body and files are removed, and its quota is returned. The log keeps the row as `canceled`. A message is either canceled or sent, never both. Later the response is 409 `message_not_queued` with `currentStatus`. A restricted key (held, test, with an allowlist or a send limit) can cancel only messages that it sent itself: others are 403 `permission_escalation`.',
  params: z.object({ id: z.string().describe('Message id.') }),
  status: 200,
  response: 'json',
  output: z.object({ id: idSchema, status: z.literal('canceled') }).meta({ id: 'CanceledEmail' }),
  errors: ['not_found', 'permission_escalation', 'message_not_queued'],
} as const;

export const cancelEmail = defineOperation({
  id: 'emails.cancel',
  method: 'POST',
  path: '/emails/:id/cancel',
  ...canceling,
  effect: 'update',
  mcp: {
    tool: 'cancel_email',
    toolset: null,
    title: 'Cancel an email',
    description:
      'Cancels a message that is still queued, for example a scheduled one, by id. Returns the id with the status `canceled`. Not for sent messages: the error has their current status. Not for changing the time: use reschedule_email (toolset logs).',
  },
  cli: {
    command: 'emails cancel',
    description:
      'Cancels an email before it reaches a mail server: while it is queued for every recipient (scheduled emails too), or while it is held for approval. The log keeps the email as canceled, its content is removed, and its quota is returned. Later the command fails with message_not_queued. A restricted key (held, test, with an allowlist or a send limit) can cancel only messages that it sent itself; otherwise the command fails with permission_escalation.',
    positional: ['id'],
    examples: ['postrider emails cancel <id>'],
  },
});

export const deleteEmail = defineOperation({
  id: 'emails.delete',
  method: 'DELETE',
  path: '/emails/:id',
  ...canceling,
  effect: 'delete',
  aliasOf: 'emails.cancel',
  mcp: null,
  cli: null,
});
