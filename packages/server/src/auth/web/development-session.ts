import type { FastifyReply, FastifyRequest } from 'fastify';
import { toSession } from '../../operations/auth/session-record.ts';
import { ProblemError } from '../../problem.ts';
import type { AuthServices } from '../auth-services.ts';
import { readSessionToken } from '../client-info.ts';
import { SESSION_COOKIE_SECONDS } from '../cookies.ts';
import { signInClientOf } from '../device-client.ts';
import { signIn } from '../sign-in.ts';

/** Signs a user in by address alone, which development mode allows everyone on the same machine. */
export async function beginDevelopmentSession(
  auth: AuthServices,
  email: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { cookies, sessions, tools } = auth;
  const sessionToken = readSessionToken({ cookie: request.headers.cookie }, cookies);
  const from = signInClientOf({ userAgent: request.headers['user-agent'] ?? null, address: request.ip });
  const verdict = await signIn(tools, { email, name: null, identity: null, how: 'development' }, from, sessionToken);
  if (verdict.kind !== 'signed-in') {
    throw new ProblemError('not_found', {
      detail: `No user has a seat with the address ${email}, and sign-up is closed.`,
      fix: 'Invite the address first, or set POSTRIDER_SIGNUP=open.',
    });
  }
  const session = await sessions.findFresh({ token: verdict.token, kind: 'cookie' });
  reply.header('set-cookie', cookies.set(cookies.session, verdict.token, SESSION_COOKIE_SECONDS));
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(toSession(session)));
}
