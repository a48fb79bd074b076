import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { timestampSchema } from '../../schemas/identifiers.ts';
import { POLL_LIMITS } from '../../schemas/session.ts';

export const takeDeviceToken = defineOperation({
  id: 'auth.device-token',
  method: 'POST',
  path: '/auth/device/token',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Get the session token of a device',
  description:
    'Returns a bearer session token once the user has confirmed; the code is then used up. Until then the response is 400 `authorization_pending`. It is 400 `slow_down` if you poll sooner than `interval` seconds after the last time, which makes the interval 5 seconds longer. It is 400 `device_code_expired` if the code has expired, was refused, is used up or never existed.',
  effect: 'create',
  query: z.strictObject({}),
  body: z.strictObject({
    deviceCode: z.string().min(1).max(200).describe('The `deviceCode` that `POST /auth/device` returned.'),
  }),
  anonymousLimits: POLL_LIMITS,
  status: 200,
  response: 'json',
  output: z
    .object({
      token: z.string().describe('Sent as `Authorization: Bearer <token>`, instead of an API key.'),
      expiresAt: timestampSchema.describe('When the session ends if it is not used before then.'),
    })
    .meta({ id: 'SessionToken' }),
  errors: ['authorization_pending', 'slow_down', 'device_code_expired', 'rate_limited'],
  mcp: null,
  cli: null,
});
