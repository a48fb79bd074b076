import { describeClient } from '../../auth/device-client.ts';
import { startDevice as start } from '../../auth/device-sign-in.ts';
import type { Handler } from '../context.ts';

/** Creates the codes. The page's address omits the code, so that a link in an email cannot replace typing it. */
export const startDevice: Handler<'auth.device'> = async (
  { body },
  { services: { auth, installation }, address, clientInfo },
) => {
  const client = describeClient(body.client, clientInfo?.userAgent ?? null);
  const { deviceCode, userCode, expiresIn, interval } = await start(auth.tools, { client, address });
  return {
    body: { deviceCode, userCode, verificationUrl: `${installation.baseUrl}/auth/device`, expiresIn, interval },
  };
};
