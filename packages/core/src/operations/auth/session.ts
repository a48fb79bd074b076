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
    'Who is signed in, in which account, in what role, and what the session may do: by the session cookie, or by a bearer session token. Without either, or with one that has ended, `authenticated` is false and the rest is null; it is never an error.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: sessionSchema,
  errors: [],
  mcp: null,
  cli: null,
});
