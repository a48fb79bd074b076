import { endSession } from '../../auth/end-session.ts';
import { foreignOrigin } from '../../auth/foreign-origin.ts';
import type { Handler } from '../context.ts';

/** Ends the session that the request bears. */
export const logOut: Handler<'auth.logout'> = async (_input, { services, visit }) => {
  const { cookies } = services.people;
  const borne = visit?.borne ?? null;
  const headers = { 'set-cookie': cookies.clear(cookies.session) };
  if (borne === null) return { body: '', headers };
  if (borne.kind === 'cookie' && visit?.isFromHere !== true) throw foreignOrigin(services.baseUrl);
  await endSession(services.people, borne);
  return { body: '', headers };
};
