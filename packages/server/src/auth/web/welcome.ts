import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson, sendUserPage, toSignedIn, wantsJson } from '../../console/user-pages.ts';
import { toSession } from '../../operations/auth/session-record.ts';
import { ProblemError } from '../../problem.ts';
import type { AuthServices } from '../auth-services.ts';
import { KNOWN_BROWSER_SECONDS, SESSION_COOKIE_SECONDS } from '../cookies.ts';
import { sealKnownBrowser } from '../known-browser.ts';
import type { SignInVerdict } from '../sign-in.ts';
import { renderNoAccessPage } from './sign-in-pages.ts';

/** Gives the browser its session and redirects it to the page that it wanted, or explains why it gets none. */
export async function welcome(
  request: FastifyRequest,
  reply: FastifyReply,
  verdict: SignInVerdict,
  next: string | null,
  auth: AuthServices,
): Promise<FastifyReply> {
  if (verdict.kind !== 'signed-in') {
    const reason =
      verdict.kind === 'unknown'
        ? 'No account on this server has a seat for this address, and signing in does not create accounts. Ask for an invitation.'
        : 'The provider has not verified your email address, so this server cannot identify you.';
    if (wantsJson(request)) throw new ProblemError('not_found', { detail: reason });
    return sendUserPage(reply.code(403), renderNoAccessPage(reason));
  }
  const { cookies, sessions, secrets } = auth;
  const session = await sessions.findFresh({ token: verdict.token, kind: 'cookie' });
  const signedIn = session === null ? null : toSignedIn(session);
  if (session === null || signedIn === null) throw new ProblemError('session_required');
  reply.header('set-cookie', [
    cookies.set(cookies.session, verdict.token, SESSION_COOKIE_SECONDS),
    cookies.set(cookies.known, sealKnownBrowser(secrets, signedIn.email), KNOWN_BROWSER_SECONDS),
    cookies.clear(cookies.browser),
    cookies.clear(cookies.oauth),
  ]);
  if (wantsJson(request)) {
    return sendJson(reply, toSession(session));
  }
  return reply.redirect(next ?? HOME, 303);
}

/** Where a user is who wanted no other page. */
export const HOME = '/console';
