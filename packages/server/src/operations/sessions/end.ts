import { endOne } from '../../auth/own-sessions.ts';
import { ProblemError } from '../../problem.ts';
import { requireSession } from '../auth/require-session.ts';
import type { Handler } from '../context.ts';
import { toOwnSession } from './own-session-record.ts';

export const endOwnSession: Handler<'sessions.end'> = async ({ params }, context) => {
  const { auth, installation } = context.services;
  const { user } = requireSession(context);
  const verdict = await endOne(auth, user, params.id);
  switch (verdict.kind) {
    case 'ended':
      return { body: toOwnSession(verdict.session, user.sessionId) };
    case 'missing':
      throw new ProblemError('not_found', { detail: 'You have no session with this id.' });
    case 'browser':
      throw new ProblemError('permission_escalation', {
        detail: 'A device session cannot end the session of a browser.',
        fix: `Sign in at ${installation.baseUrl}/auth/sign-in and end it there.`,
      });
  }
};
