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
  summary: 'List the accounts of the signed-in user',
  description: 'Every account the user has a seat in, with their role in it, in the order in which they joined.',
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
            current: z.boolean().describe('Whether the session is in this account.'),
          })
          .meta({ id: 'SeatedAccount' }),
      ),
    })
    .meta({ id: 'SeatedAccounts' }),
  errors: [],
  mcp: null,
  cli: { command: 'accounts', examples: ['postrider accounts'] },
});
