import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyParams, keySchema } from '../../schemas/key.ts';

export const resumeKey = defineOperation({
  id: 'keys.resume',
  method: 'POST',
  path: '/keys/:id/resume',
  access: { kind: 'key', scope: 'keys:write' },
  reach: 'controls',
  comparesCaller: true,
  summary: 'Resume the sending of a key',
  description:
    'Lets a paused key send again. Only a user can resume what a user paused: a key gets 403 `permission_escalation`, which says who paused it. A paused key cannot resume any key. A key that is not paused stays unchanged. A revoked key cannot be resumed (422 with `revoked` at `id`).',
  effect: 'update',
  params: keyParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: keySchema,
  errors: ['not_found', 'permission_escalation'],
  mcp: {
    tool: 'resume_key',
    toolset: 'keys',
    title: 'Resume the sending of a key',
    description:
      'Lets one paused API key send again. Works only if a key paused it: only a user can resume what a user paused. Ask the user first. Not for a paused account: use resume_account. Returns the key.',
  },
  cli: {
    command: 'keys resume',
    description:
      'Lets a paused key send again. Only a user can resume what a user paused: for a key, the command fails with permission_escalation and says who paused it. A paused key cannot resume any key, and a revoked key cannot be resumed.',
    positional: ['id'],
    examples: ['postrider keys resume 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
