import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyParams, keySchema } from '../../schemas/key.ts';

export const revokeKey = defineOperation({
  id: 'keys.revoke',
  method: 'DELETE',
  path: '/keys/:id',
  access: { kind: 'key', scope: 'keys:write' },
  reach: 'controls',
  whilePaused: true,
  comparesCaller: true,
  summary: 'Revoke a key',
  description:
    'Revokes a key permanently and returns it. A key can revoke itself. The revocation takes effect within a second on every server process. Messages the key sent before are delivered, including scheduled ones: cancel those that must not be sent. They cannot be sent again (409 `issuing_key_revoked`). Revoking a revoked key changes nothing.',
  effect: 'delete',
  params: keyParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: keySchema,
  errors: ['not_found'],
  mcp: {
    tool: 'revoke_key',
    toolset: 'keys',
    title: 'Revoke a key',
    description:
      'Revokes an API key permanently, within a second; programs that use it stop working, and the calling key can revoke itself. Ask the user first. Not for a temporary stop: use pause_key. Not for a new secret: use rotate_key. Returns the key.',
  },
  cli: {
    command: 'keys revoke',
    description:
      'Revokes a key permanently, within a second. A key can revoke itself. Messages that the key sent before are delivered, including scheduled ones: cancel those that must not be sent. They cannot be sent again: emails resend then fails with issuing_key_revoked.',
    positional: ['id'],
    examples: ['postrider keys revoke 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
