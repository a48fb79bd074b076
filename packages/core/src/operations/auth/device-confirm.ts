import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { userCodeSchema } from '../../schemas/session.ts';

export const confirmDevice = defineOperation({
  id: 'auth.device-confirm',
  method: 'POST',
  path: '/auth/device/confirm',
  access: { kind: 'session' },
  reach: 'controls',
  summary: 'Confirm the sign-in of a device',
  description:
    'The signed-in person lets the device that shows this code act for them, in the account the session is in. The page `GET /auth/device` does the same. A code nobody asked for is 404; one that is too old is 400 `device_code_expired`. Confirming twice changes nothing; what another person has confirmed is 404.',
  effect: 'update',
  query: z.strictObject({}),
  body: z.strictObject({ userCode: userCodeSchema }),
  status: 200,
  response: 'json',
  output: z.object({ ok: z.literal(true) }).meta({ id: 'DeviceConfirmed' }),
  errors: ['not_found', 'device_code_expired'],
  mcp: null,
  cli: null,
});
