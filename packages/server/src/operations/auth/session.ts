import type { Handler } from '../context.ts';
import { toSession } from './session-record.ts';

export const getSession: Handler<'auth.session'> = async (_input, { services, visit }) => {
  const borne = visit?.borne ?? null;
  return { body: toSession(borne === null ? null : await services.people.sessions.find(borne)) };
};
