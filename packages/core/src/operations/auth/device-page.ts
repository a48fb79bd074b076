import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { POLL_LIMITS, userCodeSchema } from '../../schemas/session.ts';

export const showDevicePage = defineOperation({
  id: 'auth.device-page',
  method: 'GET',
  path: '/auth/device',
  access: { kind: 'public' },
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
  errors: ['rate_limited'],
  mcp: null,
  cli: null,
});
