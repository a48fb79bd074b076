import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

export const logOut = defineOperation({
  id: 'auth.logout',
  method: 'POST',
  path: '/auth/logout',
  access: { kind: 'public', session: 'any' },
  reach: 'none',
  summary: 'Sign out',
  description:
    'Ends the session of the cookie or of the bearer session token, within a second on every server process, and removes the cookie. The response is the same if no one is signed in. A page of another origin cannot sign a user out (403 `missing_scope`).',
  effect: 'update',
  query: z.strictObject({}),
  status: 204,
  response: 'text',
  contentType: 'text/plain; charset=utf-8',
  output: z.string().describe('Nothing.'),
  responseHeaders: { 'set-cookie': 'Removes the session cookie.' },
  errors: ['missing_scope'],
  mcp: null,
  cli: null,
});
