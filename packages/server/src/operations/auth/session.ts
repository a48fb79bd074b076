import type { Handler } from '../context.ts';
import { toSession } from './session-record.ts';

export const getSession: Handler<'auth.session'> = async (_input, { services: { auth }, clientInfo }) => {
  const sessionToken = clientInfo?.sessionToken ?? null;
  return { body: toSession(sessionToken === null ? null : await auth.sessions.find(sessionToken)) };
};
