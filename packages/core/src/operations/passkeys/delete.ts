import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { passkeyParams, passkeySchema } from '../../schemas/passkey.ts';

export const deletePasskey = defineOperation({
  id: 'passkeys.delete',
  method: 'DELETE',
  path: '/passkeys/:id',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'Remove one of your passkeys',
  description:
    'Removes a passkey of the signed-in user at once, and returns it. No one can sign in with it anymore, and the sessions that were started with it end. The audit log of each of the user’s accounts records it. A passkey of another user is 404. While the user’s passkeys approve held sends of an account, only the page `/auth/passkeys` removes one, with a passkey: 403 `permission_escalation`.',
  effect: 'delete',
  params: passkeyParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: passkeySchema,
  errors: ['not_found', 'permission_escalation'],
  mcp: null,
  cli: {
    command: 'passkeys remove',
    description:
      'Removes a passkey of the signed-in user, so that no one can sign in with it anymore. To end sessions that it started, use postrider sessions end.',
    positional: ['id'],
    examples: ['postrider passkeys remove 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
