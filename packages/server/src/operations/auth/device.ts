import { startDevice as start } from '../../sessions/device-sign-in.ts';
import type { Handler } from '../context.ts';

export const startDevice: Handler<'auth.device'> = async (_input, { services }) => {
  const { deviceCode, userCode, expiresIn, interval } = await start(services.people.tools);
  const verificationUrl = `${services.baseUrl}/auth/device?user_code=${userCode}`;
  return { body: { deviceCode, userCode, verificationUrl, expiresIn, interval } };
};
