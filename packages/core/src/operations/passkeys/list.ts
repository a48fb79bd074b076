import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { passkeySchema } from '../../schemas/passkey.ts';

export const listPasskeys = defineOperation({
  id: 'passkeys.list',
  method: 'GET',
  path: '/passkeys',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'List your passkeys',
  description: `The passkeys with which the signed-in user can sign in, in the order in which they were added, ${LIMITS.passkeysPerUser} at most. They are the same in all of the user’s accounts. Add one in a browser, at \`/auth/passkeys\`.`,
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: z.object({ passkeys: z.array(passkeySchema) }).meta({ id: 'Passkeys' }),
  errors: [],
  mcp: null,
  cli: {
    command: 'passkeys list',
    description: `Lists the passkeys with which the signed-in user can sign in, in all of their accounts, at most ${LIMITS.passkeysPerUser}. Add one in a browser, in the settings of the console.`,
    examples: ['postrider passkeys list'],
  },
});
