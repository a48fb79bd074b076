import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { keyParams, keyWithSecretSchema } from '../../schemas/key.ts';

export const rotateKey = defineOperation({
  id: 'keys.rotate',
  method: 'POST',
  path: '/keys/:id/rotate',
  access: { kind: 'key', scope: 'keys:write' },
  reach: 'controls',
  comparesCaller: true,
  summary: 'Rotate the secret of a key',
  description:
    'Gives a key a new secret, shown only once in `key`; everything else stays unchanged. Older secrets keep working for at most `graceSeconds`, and are then `key_revoked`. A key can rotate itself and keys that are at least as restricted as itself, else 403 `permission_escalation`. A key that it did not create also needs `emails:content-all` and `approvals:read`, because the secret shows the messages and held sends of that key. Without them, it can only replace the secret of a key that has not sent anything, with `graceSeconds` 0. A revoked key cannot be rotated (422 with `revoked` at `id`).',
  effect: 'replace',
  params: keyParams,
  query: z.strictObject({}),
  body: z
    .strictObject({
      graceSeconds: z
        .number()
        .int()
        .min(0)
        .max(LIMITS.keyGraceSecondsMax)
        .optional()
        .describe(
          `How long the old secret keeps working, 0 to ${LIMITS.keyGraceSecondsMax} seconds. Default: 0, which ends it at once.`,
        ),
    })
    .default({}),
  status: 200,
  response: 'json',
  output: keyWithSecretSchema,
  errors: ['not_found', 'permission_escalation'],
  mcp: {
    tool: 'rotate_key',
    toolset: 'keys',
    title: 'Rotate the secret of a key',
    description:
      'Gives an API key a new secret, shown only once; the old one ends at once, or after `graceSeconds`. Ask the user first, and do not call it twice: each call creates another secret. Not for changing its scopes or limits: use update_key. Returns the key.',
  },
  cli: {
    command: 'keys rotate',
    description:
      'Gives a key a new secret and shows it, once; everything else stays unchanged. Older secrets work until --grace-seconds are over. A key can rotate itself and keys that are at least as restricted as itself, else the command fails with permission_escalation. To rotate a key that it did not create and that has sent mail, or to let older secrets of such a key work on, it also needs emails:content-all and approvals:read. A revoked key cannot be rotated.',
    positional: ['id'],
    examples: ['postrider keys rotate 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a --grace-seconds 3600'],
  },
});
