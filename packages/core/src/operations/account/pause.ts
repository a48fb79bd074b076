import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { accountSchema } from '../../schemas/account.ts';

export const pauseAccount = defineOperation({
  id: 'account.pause',
  method: 'POST',
  path: '/account/pause',
  access: { kind: 'key', scope: 'account:write' },
  reach: 'controls',
  whilePaused: true,
  summary: 'Pause all sending',
  description:
    'Within a second, on every server process, every send of every key of the account gets 403 `sending_paused`. Reading still works. What was accepted before is delivered, including scheduled messages: cancel those that must not be sent. A paused key can only cancel messages, pause and revoke: everything else that could cause mail to be sent gets 403 `permission_escalation`. Returns the account. Pausing a paused account changes nothing, except that a user takes over the pause of a key.',
  effect: 'update',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: accountSchema,
  errors: [],
  mcp: {
    tool: 'pause_account',
    toolset: 'account',
    title: 'Pause all sending',
    description:
      'Refuses every further send of every key of the account until resume_account; reading still works. What was accepted before is delivered. Ask the user first. Not for one message or one key: use cancel_email or pause_key. Returns the account.',
  },
  cli: {
    command: 'account pause',
    description:
      'Refuses every further send of every key of the account, within a second: each fails with sending_paused. Reading still works. What was accepted before is delivered, including scheduled messages: cancel those that must not be sent. Only a user can resume what a user paused.',
    examples: ['postrider account pause'],
  },
});
