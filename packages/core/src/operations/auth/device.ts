import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { deviceClientSchema, SIGN_IN_LIMITS } from '../../schemas/session.ts';

export const startDevice = defineOperation({
  id: 'auth.device',
  method: 'POST',
  path: '/auth/device',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Begin the sign-in of a device',
  description: `For programs without a browser, as in RFC 8628: show \`userCode\` and \`verificationUrl\` to the user, who opens the page and types the code there. Poll \`POST /auth/device/token\` every \`interval\` seconds until they have confirmed. The code is valid for ${LIMITS.deviceCodeMinutes} minutes. The page shows the user \`client\`, your address and the time.`,
  effect: 'create',
  query: z.strictObject({}),
  body: z.strictObject({ client: deviceClientSchema.optional() }).default({}),
  anonymousLimits: SIGN_IN_LIMITS,
  status: 200,
  response: 'json',
  output: z
    .object({
      deviceCode: z.string().describe('The device’s own secret.'),
      userCode: z.string().describe('The code that the user types on the page, such as `WDJB-MJHT`.'),
      verificationUrl: z.string().describe('The page to open. It never contains the code: the user types it.'),
      expiresIn: z.number().int().describe('Seconds for which the codes are valid.'),
      interval: z.number().int().describe('Seconds to wait between two polls.'),
    })
    .meta({ id: 'DeviceSignIn' }),
  errors: ['rate_limited'],
  mcp: null,
  cli: null,
});
