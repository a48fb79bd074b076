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
    'Sends a browser to the provider’s own sign-in, with state, PKCE and nonce, and signs the person in when it comes back. Providers are those that the server’s settings name: `github`, `google`, and one of OpenID Connect; any other is 404. People are known by what the provider calls them, issuer and subject; an address counts only where the provider says that it is verified.',
  effect: 'read',
  params: z.object({
    provider: z.string().describe('`github`, `google`, or the name of the OpenID Connect provider.'),
  }),
  query: z.strictObject({
    next: z.string().max(LIMITS.urlCharacters).optional().describe('A path of this server to go on to afterwards.'),
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
      summary: 'The same for a request that accepts `application/json`: the address to send the browser to',
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
