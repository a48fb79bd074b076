import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendScriptedPage, sendUserPage, toSignedIn } from '../../console/user-pages.ts';
import type { User } from '../../keys/caller.ts';
import { ProblemError, problemHeaders } from '../../problem.ts';
import type { SignedIn } from '../../ui/single-page.ts';
import type { AuthServices } from '../auth-services.ts';
import type { ClientInfo } from '../client-info.ts';
import { foreignOrigin } from '../foreign-origin.ts';
import { isFirstPasskeyLink, mailFirstPasskeyLink } from '../passkeys/first-passkey-link.ts';
import { readGuard } from '../passkeys/guard-passkeys.ts';
import { relyingPartyOf } from '../passkeys/relying-party.ts';
import { cookieOf } from './cookie-session.ts';
import {
  renderDeadFirstPasskeyPage,
  renderFirstPasskeyMailedPage,
  renderFirstPasskeyPage,
  renderTooManyLinksPage,
} from './first-passkey-pages.ts';

export interface FirstPasskeyRouteOptions {
  readonly auth: AuthServices;
  readonly baseUrl: string;
  /** Whether this server shows captured mail. */
  readonly isDevelopment: boolean;
}

type Handler = (request: FastifyRequest, reply: FastifyReply, clientInfo: ClientInfo) => unknown;

interface Visitor {
  readonly signedIn: SignedIn;
  readonly user: User;
}

/** Adds the pages on which a user whose passkeys approve held sends confirms the first one from their mailbox. */
export function addFirstPasskeyRoutes(
  add: (method: 'GET' | 'POST', path: string, handler: Handler) => void,
  { auth, baseUrl, isDevelopment }: FirstPasskeyRouteOptions,
): void {
  const party = relyingPartyOf(baseUrl);
  add('POST', '/auth/passkeys/first', async (_request, reply, clientInfo) => {
    // Another site could fill the user's mailbox.
    if (clientInfo.formOrigin !== 'own') throw foreignOrigin(baseUrl, clientInfo.formOrigin);
    const visitor = await readVisitor(clientInfo, auth);
    const needsLink = visitor !== null && (await readGuard({ auth }, visitor.user)).toAdd === 'mailed_link';
    // The page says what is needed instead.
    if (party === null || !needsLink) return reply.redirect('/auth/passkeys', 303);
    try {
      const email = await mailFirstPasskeyLink(auth, party, visitor.user, clientInfo);
      return sendUserPage(reply.code(202), renderFirstPasskeyMailedPage(visitor.signedIn, email, isDevelopment));
    } catch (error) {
      return sendTooMany(visitor.signedIn, error, reply);
    }
  });
  add('GET', '/auth/passkeys/first/:token', async ({ params }, reply, clientInfo) => {
    const { token } = params as { readonly token: string }; // The route has this parameter.
    const visitor = await readVisitor(clientInfo, auth);
    const works = visitor !== null && (await isFirstPasskeyLink(auth.tools, visitor.user, token));
    if (party === null || !works) {
      return sendUserPage(reply.code(404), renderDeadFirstPasskeyPage(visitor?.signedIn ?? null));
    }
    const url = `${party.origins[0] ?? baseUrl}/auth/passkeys/first/${token}`;
    return sendScriptedPage(reply, renderFirstPasskeyPage(visitor.signedIn, party, url, token));
  });
}

/** Read from the database: a session that has just ended must not get a link. */
async function readVisitor(clientInfo: ClientInfo, { sessions }: AuthServices): Promise<Visitor | null> {
  const cookie = cookieOf(clientInfo);
  const session = cookie === null ? null : await sessions.findFresh(cookie);
  const signedIn = session === null ? null : toSignedIn(session);
  const user = session?.caller.user ?? null;
  return signedIn === null || user === null ? null : { signedIn, user };
}

function sendTooMany(signedIn: SignedIn, error: unknown, reply: FastifyReply): FastifyReply {
  if (!(error instanceof ProblemError) || error.code !== 'rate_limited') throw error;
  const words = `${error.details.detail ?? ''} ${error.details.fix ?? ''}`;
  return sendUserPage(reply.code(429).headers(problemHeaders(error)), renderTooManyLinksPage(signedIn, words));
}
