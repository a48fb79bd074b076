import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { passkeyNameSchema, passkeyParams, passkeySchema } from '../../schemas/passkey.ts';

export const updatePasskey = defineOperation({
  id: 'passkeys.update',
  method: 'PATCH',
  path: '/passkeys/:id',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'Rename one of your passkeys',
  description:
    'Changes the name of a passkey of the signed-in user, and returns the passkey. A passkey of another user is 404.',
  effect: 'update',
  params: passkeyParams,
  query: z.strictObject({}),
  body: z.strictObject({ name: passkeyNameSchema }),
  status: 200,
  response: 'json',
  output: passkeySchema,
  errors: ['not_found'],
  mcp: null,
  cli: {
    command: 'passkeys rename',
    description: 'Changes the name of a passkey of the signed-in user.',
    positional: ['id'],
    examples: ['postrider passkeys rename 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a --name "Work laptop"'],
  },
});
