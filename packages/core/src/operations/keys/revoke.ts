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
    'Ends a key for good and answers it; a key may revoke itself. It acts within a second on every server process. Messages it sent before are delivered, scheduled ones too: cancel those that are not to leave. None of them can be sent again (409 `issuing_key_revoked`). Revoking a revoked key changes nothing.',
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
      'Ends an API key for good, within a second; whatever uses it stops working, and the calling key can end itself. Ask the user first. Not for a while: use pause_key. Not for a new secret: use rotate_key. Answers the key.',
  },
  cli: {
    command: 'keys revoke',
    positional: ['id'],
    examples: ['postrider keys revoke 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
