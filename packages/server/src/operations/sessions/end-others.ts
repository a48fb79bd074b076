import { endOthers } from '../../auth/own-sessions.ts';
import { requireSession } from '../auth/require-session.ts';
import type { Handler } from '../context.ts';

export const endOtherSessions: Handler<'sessions.end-others'> = async (_input, context) => {
  const { user } = requireSession(context);
  return { body: { ended: await endOthers(context.services.auth, user) } };
};
