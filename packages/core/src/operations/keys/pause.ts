import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyParams, keySchema } from '../../schemas/key.ts';

export const pauseKey = defineOperation({
  id: 'keys.pause',
  method: 'POST',
  path: '/keys/:id/pause',
  access: { kind: 'key', scope: 'keys:write' },
  reach: 'controls',
  whilePaused: true,
  comparesCaller: true,
  summary: 'Pause the sending of a key',
  description:
    'Within a second, on every server process, every send of the key gets 403 `sending_paused`. Reading still works. What was accepted before is delivered, including scheduled messages: cancel those that must not be sent. A paused key can only cancel messages, pause and revoke: everything else that could cause mail to be sent gets 403 `permission_escalation`. Pausing a paused key changes nothing, except that a user takes over the pause of a key. A revoked key cannot be paused (422 with `revoked` at `id`).',
  effect: 'update',
  params: keyParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: keySchema,
  errors: ['not_found'],
  mcp: {
    tool: 'pause_key',
    toolset: 'keys',
    title: 'Pause the sending of a key',
    description:
      'Refuses every further send of one API key until resume_key; its reading still works. What was accepted before is delivered. Ask the user first. Not for all keys: use pause_account. Returns the key.',
  },
  cli: {
    command: 'keys pause',
    description:
      'Refuses every further send of the key, within a second: each fails with sending_paused. Reading still works. What was accepted before is delivered, including scheduled messages: cancel those that must not be sent. A paused key can only read, cancel messages, pause and revoke; anything else that could cause mail to be sent fails with permission_escalation.',
    positional: ['id'],
    examples: ['postrider keys pause 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
