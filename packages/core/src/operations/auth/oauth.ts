import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { PAGE_RESPONSE_HEADERS } from '../../schemas/page-headers.ts';
import { POLL_LIMITS } from '../../schemas/session.ts';

export const startOAuth = defineOperation({
  id: 'auth.oauth',
  method: 'GET',
  path: '/auth/oauth/:provider',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Sign in with a provider',
  description:
    'Redirects a browser to the provider’s sign-in, with state, PKCE and nonce, and signs the user in when it returns. The providers are those in the server’s settings: `github`, `google`, and one OpenID Connect provider; any other is 404. Users are identified by issuer and subject. An email address counts only if the provider says that it is verified.',
  effect: 'read',
  params: z.object({
    provider: z.string().describe('`github`, `google`, or the name of the OpenID Connect provider.'),
  }),
  query: z.strictObject({
    next: z.string().max(LIMITS.urlCharacters).optional().describe('A path of this server to open after the sign-in.'),
  }),
  anonymousLimits: POLL_LIMITS,
  status: 302,
  response: 'raw',
  output: z.unknown(),
  responseHeaders: {
    location: 'The provider’s own sign-in page.',
    'set-cookie': 'A cookie that binds the sign-in to this browser.',
  },
  further: [
    {
      status: 200,
      summary: 'For a request that accepts `application/json`: the address to redirect the browser to',
      content: {
        'application/json': z.object({ url: z.string().describe('The provider’s own sign-in page.') }),
      },
      headers: { 'set-cookie': 'A cookie that binds the sign-in to this browser.' },
    },
    {
      status: 503,
      summary: 'A page that asks to try again: the provider is unreachable.',
      content: { 'text/html': z.string() },
      headers: PAGE_RESPONSE_HEADERS,
    },
  ],
  errors: ['not_found', 'rate_limited'],
  mcp: null,
  cli: null,
});
