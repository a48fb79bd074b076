import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { idSchema } from '../../schemas/identifiers.ts';
import { roleSchema } from '../../schemas/session.ts';

export const listSessionAccounts = defineOperation({
  id: 'auth.accounts',
  method: 'GET',
  path: '/auth/accounts',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'List the accounts of the signed-in person',
  description: 'Every account the person has a seat in, the one they joined first coming first, with their role in it.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: z
    .object({
      accounts: z.array(
        z
          .object({
            id: idSchema,
            name: z.string(),
            role: roleSchema,
            current: z.boolean().describe('Whether the session is in it.'),
          })
          .meta({ id: 'SeatedAccount' }),
      ),
    })
    .meta({ id: 'SeatedAccounts' }),
  errors: [],
  mcp: null,
  cli: { command: 'accounts', examples: ['postrider accounts'] },
});
