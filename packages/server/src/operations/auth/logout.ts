import { endSession } from '../../auth/end-session.ts';
import { foreignOrigin } from '../../auth/foreign-origin.ts';
import type { Handler } from '../context.ts';

export const logOut: Handler<'auth.logout'> = async (_input, { services: { auth, installation }, clientInfo }) => {
  const { cookies } = auth;
  const sessionToken = clientInfo?.sessionToken ?? null;
  const headers = { 'set-cookie': cookies.clear(cookies.session) };
  if (sessionToken === null) return { body: '', headers };
  if (sessionToken.kind === 'cookie' && clientInfo?.isFromOwnOrigin !== true)
    throw foreignOrigin(installation.baseUrl, clientInfo?.formOrigin ?? 'unknown');
  await endSession(auth, sessionToken);
  return { body: '', headers };
};
