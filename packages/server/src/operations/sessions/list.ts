import { listSessions } from '../../auth/own-sessions.ts';
import { requireSession } from '../auth/require-session.ts';
import type { Handler } from '../context.ts';
import { toOwnSession } from './own-session-record.ts';

export const listOwnSessions: Handler<'sessions.list'> = async (_input, context) => {
  const { user } = requireSession(context);
  const { rows, total } = await listSessions(context.services.auth, user);
  return { body: { sessions: rows.map((row) => toOwnSession(row, user.sessionId)), total } };
};
