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
  summary: 'Take the session token of a device',
  description:
    'Answers a bearer session token once the person has confirmed; the code is spent then. Until then 400 `authorization_pending`; 400 `slow_down` where it is asked sooner than `interval` seconds after the last time, which makes the interval 5 seconds longer; 400 `device_code_expired` where the code is too old, was turned down, is spent or was never given out.',
  effect: 'create',
  query: z.strictObject({}),
  body: z.strictObject({ deviceCode: z.string().min(1).max(200).describe('As `POST /auth/device` answered it.') }),
  anonymousLimits: POLL_LIMITS,
  status: 200,
  response: 'json',
  output: z
    .object({
      token: z.string().describe('Sent as `Authorization: Bearer <token>`, in the place of a key.'),
      expiresAt: timestampSchema.describe('When it ends, unless it is used before.'),
    })
    .meta({ id: 'SessionToken' }),
  errors: ['authorization_pending', 'slow_down', 'device_code_expired', 'rate_limited'],
  mcp: null,
  cli: null,
});
