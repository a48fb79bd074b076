import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { sessionSchema } from '../../schemas/session.ts';

export const getSession = defineOperation({
  id: 'auth.session',
  method: 'GET',
  path: '/auth/session',
  access: { kind: 'public', session: 'any' },
  reach: 'none',
  summary: 'Read the session',
  description:
    'Returns the signed-in user, the account, the role and what the session may do, by the session cookie or a bearer session token. Without either, or with an ended session, `authenticated` is false and the rest is null; it is never an error.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: sessionSchema,
  errors: [],
  mcp: null,
  cli: null,
});
