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
    'A web page for the user, who signs in first. They type the code that the device shows. The page then shows which program asks, from where and since when, and what the device could do. The user allows or refuses. Opening it changes nothing.',
  effect: 'read',
  query: z.strictObject({
    user_code: userCodeSchema.optional().describe('Ignored: a link cannot fill in the code. The user types it.'),
  }),
  anonymousLimits: POLL_LIMITS,
  status: 200,
  response: 'raw',
  contentType: 'text/html; charset=utf-8',
  output: z.string(),
  responseHeaders: PAGE_RESPONSE_HEADERS,
  further: [
    {
      status: 303,
      summary: 'No one is signed in: the browser is sent to the sign-in page, which returns here.',
      headers: { location: 'The sign-in page.' },
    },
  ],
  errors: ['rate_limited'],
  mcp: null,
  cli: null,
});
