import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { SIGN_IN_LIMITS } from '../../schemas/session.ts';

export const startDevice = defineOperation({
  id: 'auth.device',
  method: 'POST',
  path: '/auth/device',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Begin the sign-in of a device',
  description: `For programs without a browser, as in RFC 8628: show \`userCode\` and \`verificationUrl\` to the person, and ask \`POST /auth/device/token\` every \`interval\` seconds until they have confirmed. The code is good for ${LIMITS.deviceCodeMinutes} minutes.`,
  effect: 'create',
  query: z.strictObject({}),
  anonymousLimits: SIGN_IN_LIMITS,
  status: 200,
  response: 'json',
  output: z
    .object({
      deviceCode: z.string().describe('The device’s own secret.'),
      userCode: z.string().describe('What the person types, such as `WDJB-MJHT`.'),
      verificationUrl: z.string().describe('The page to open, with the code filled in.'),
      expiresIn: z.number().int().describe('Seconds for which the codes are good.'),
      interval: z.number().int().describe('Seconds to wait between two questions.'),
    })
    .meta({ id: 'DeviceSignIn' }),
  errors: ['rate_limited'],
  mcp: null,
  cli: null,
});
