import { endSession } from '../../auth/end-session.ts';
import { foreignOrigin } from '../../auth/foreign-origin.ts';
import type { Handler } from '../context.ts';

/** Ends the session that the request bears. */
export const logOut: Handler<'auth.logout'> = async (_input, { services, clientInfo }) => {
  const { cookies } = services.people;
  const sessionToken = clientInfo?.sessionToken ?? null;
  const headers = { 'set-cookie': cookies.clear(cookies.session) };
  if (sessionToken === null) return { body: '', headers };
  if (sessionToken.kind === 'cookie' && clientInfo?.isFromOwnOrigin !== true) throw foreignOrigin(services.baseUrl);
  await endSession(services.people, sessionToken);
  return { body: '', headers };
};
