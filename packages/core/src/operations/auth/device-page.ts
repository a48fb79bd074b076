import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { PAGE_RESPONSE_HEADERS } from '../../schemas/page-headers.ts';
import { POLL_LIMITS, userCodeSchema } from '../../schemas/session.ts';

export const showDevicePage = defineOperation({
  id: 'auth.device-page',
  method: 'GET',
  path: '/auth/device',
  access: { kind: 'public', session: 'cookie' },
  reach: 'none',
  summary: 'The page that confirms a device',
  description:
    'A web page for the person: whoever is not signed in is sent to sign in first, and then sees the code and two buttons. It changes nothing by itself.',
  effect: 'read',
  query: z.strictObject({ user_code: userCodeSchema.optional() }),
  anonymousLimits: POLL_LIMITS,
  status: 200,
  response: 'raw',
  contentType: 'text/html; charset=utf-8',
  output: z.string(),
  responseHeaders: PAGE_RESPONSE_HEADERS,
  further: [
    {
      status: 303,
      summary: 'No one is signed in: the browser is sent to the sign-in page, which leads back here.',
      headers: { location: 'The sign-in page.' },
    },
  ],
  errors: ['rate_limited'],
  mcp: null,
  cli: null,
});
