import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { userCodeSchema } from '../../schemas/session.ts';

export const confirmDevice = defineOperation({
  id: 'auth.device-confirm',
  method: 'POST',
  path: '/auth/device/confirm',
  access: { kind: 'session' },
  reach: 'controls',
  summary: 'Confirm the sign-in of a device',
  description: `Signs in the device that shows this code: it may do what the user’s role allows in the account the session is in, except decide held sends. With \`approvals: true\` it may also decide held sends if the role allows it (else 403 \`permission_escalation\`). The page \`GET /auth/device\` does the same. Only a session in a browser can confirm: a device session gets 403 \`permission_escalation\`. An unknown code, and one that another user has confirmed, is 404; an expired one is 400 \`device_code_expired\`. Confirming twice changes nothing. A user can try ${LIMITS.deviceCodeTries} codes in ${LIMITS.deviceCodeMinutes} minutes, then the response is 429 \`rate_limited\`.`,
  effect: 'update',
  query: z.strictObject({}),
  body: z.strictObject({
    userCode: userCodeSchema,
    approvals: z
      .boolean()
      .optional()
      .describe('Whether the device may approve and reject held sends. Default: false. Ask the user each time.'),
  }),
  status: 200,
  response: 'json',
  output: z
    .object({
      ok: z.literal(true),
      approvals: z.boolean().describe('Whether the device may decide held sends, as set by the first confirmation.'),
    })
    .meta({ id: 'DeviceConfirmed' }),
  errors: ['not_found', 'device_code_expired', 'permission_escalation', 'rate_limited'],
  mcp: null,
  cli: null,
});
