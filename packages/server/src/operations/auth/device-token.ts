import { pollDevice } from '../../auth/device-sign-in.ts';
import { ProblemError } from '../../problem.ts';
import type { Handler } from '../context.ts';

/** Returns the token of a device after a user has confirmed it. */
export const takeDeviceToken: Handler<'auth.device-token'> = async ({ body }, { services: { auth } }) => {
  const verdict = await pollDevice(auth.tools, body.deviceCode);
  switch (verdict.kind) {
    case 'granted':
      return { body: { token: verdict.token, expiresAt: verdict.expiresAt.toISOString() } };
    case 'pending':
      throw new ProblemError('authorization_pending');
    case 'slow-down': {
      const headers = { 'retry-after': String(verdict.interval) };
      throw new ProblemError('slow_down', { fix: `Poll again in ${verdict.interval} seconds.`, headers });
    }
    case 'expired':
      throw new ProblemError('device_code_expired');
  }
};
