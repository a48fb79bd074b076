import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { idSchema } from '../../schemas/identifiers.ts';
import { sessionSchema } from '../../schemas/session.ts';

export const switchSession = defineOperation({
  id: 'auth.switch',
  method: 'PATCH',
  path: '/auth/session',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'Switch to another account',
  description:
    'For users with a seat in several accounts: from now on this session is in the account named, with the role they have there. A device session that may decide held sends may do so only in the account it was confirmed in, and loses that for good when it moves. `GET /auth/accounts` lists the accounts. An account they have no seat in is 404.',
  effect: 'update',
  query: z.strictObject({}),
  body: z.strictObject({ accountId: idSchema.describe('The account to switch to.') }),
  status: 200,
  response: 'json',
  output: sessionSchema,
  errors: ['not_found'],
  mcp: null,
  cli: {
    command: 'switch',
    description:
      'Moves this session to another account in which you have a seat, with the role you have there. A session that may decide held sends may do so only in the account in which it was confirmed, and loses that for good when it moves. postrider accounts lists your accounts.',
    positional: ['accountId'],
    examples: ['postrider switch 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
