import { endOthers } from '../../auth/own-sessions.ts';
import { signedIn } from '../auth/signed-in.ts';
import type { Handler } from '../context.ts';

export const endOtherSessions: Handler<'sessions.end-others'> = async (_input, context) => {
  const { person } = signedIn(context);
  return { body: { ended: await endOthers(context.services.people, person) } };
};
