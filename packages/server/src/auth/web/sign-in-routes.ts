import { findOperation, mailboxSchema } from '@postrider/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fieldOf, sendScriptedPage, sendUserPage, toSignedIn, wantsJson } from '../../console/user-pages.ts';
import type { AnonymousRateLimit } from '../../http/anonymous-rate-limit.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import { addWithAndWithoutPrefix } from '../../http/version-prefix.ts';
import { ProblemError } from '../../problem.ts';
import type { AuthServices } from '../auth-services.ts';
import { type ClientInfo, readClientInfo, toLocalPath } from '../client-info.ts';
import { signInClientOf } from '../device-client.ts';
import { endSession } from '../end-session.ts';
import { foreignOrigin } from '../foreign-origin.ts';
import { MAGIC_LINK_SECONDS } from '../magic-link.ts';
import { labelOf } from '../oauth/provider-label.ts';
import { relyingPartyOf } from '../passkeys/relying-party.ts';
import { cookieOf, readCookieSession } from './cookie-session.ts';
import { addDeviceRoutes } from './device-routes.ts';
import { addFirstPasskeyRoutes } from './first-passkey-routes.ts';
import {
  renderDeadLinkPage,
  renderLinkMailedPage,
  renderMagicLinkPage,
  renderSignInPage,
  type SignInPage,
} from './sign-in-pages.ts';
import { HOME, welcome } from './welcome.ts';

export interface SignInRouteOptions {
  readonly auth: AuthServices;
  readonly baseUrl: string;
  readonly anonymousRates: AnonymousRateLimit;
  /** Whether this server shows captured mail. */
  readonly isDevelopment: boolean;
}

const FORM_BYTES = 16_384;

/**
 * Adds the sign-in pages. They work by keyboard and without scripts, so they use plain forms. Every POST must come from a page of this
 * server; GET changes nothing.
 */
export function addSignInRoutes(app: FastifyInstance, options: SignInRouteOptions): void {
  const { auth, baseUrl } = options;
  addWithAndWithoutPrefix(app, (pages) => {
    acceptForms(pages);
    const clientInfoOf = (request: FastifyRequest) =>
      readClientInfo(request.headers, request.ip, auth.cookies, baseUrl);
    const add = (method: 'GET' | 'POST', path: string, handler: PageHandler) => {
      pages.route({
        method,
        url: path,
        onRequest: async (request) => {
          if (method === 'POST') await options.anonymousRates.assertRate(findOperation('auth.magic-link'), request.ip);
        },
        handler: async (request, reply) => await handler(request, reply, clientInfoOf(request)),
      });
    };
    add(
      'GET',
      '/auth/sign-in',
      async (request, reply, clientInfo) => await showSignIn(request, reply, clientInfo, options),
    );
    add(
      'POST',
      '/auth/sign-in',
      async (request, reply, clientInfo) => await askForLink(request, reply, clientInfo, options),
    );
    add('GET', '/auth/magic-link/:token', (_request, reply) => sendUserPage(reply, renderMagicLinkPage()));
    add(
      'POST',
      '/auth/magic-link/:token',
      async (request, reply, clientInfo) => await spend(request, reply, clientInfo, options),
    );
    add('POST', '/auth/sign-out', async (_request, reply, clientInfo) => await signOut(reply, clientInfo, options));
    addDeviceRoutes(add, options);
    addFirstPasskeyRoutes(add, options);
    for (const [path, methods] of Object.entries(SERVED)) refuseOtherMethods(pages, path, methods);
  });
}

export type PageHandler = (request: FastifyRequest, reply: FastifyReply, clientInfo: ClientInfo) => unknown;

const SERVED = {
  '/auth/sign-in': ['GET', 'POST'],
  '/auth/magic-link/:token': ['GET', 'POST'],
  '/auth/sign-out': ['POST'],
  '/auth/device/code': ['POST'],
  '/auth/device/decision': ['POST'],
  '/auth/passkeys/first': ['POST'],
  '/auth/passkeys/first/:token': ['GET'],
} as const;

/** Accepts forms as pages send them. A link is used up by a POST with any body, or none. */
function acceptForms(pages: FastifyInstance): void {
  pages.removeAllContentTypeParsers();
  const options = { parseAs: 'string', bodyLimit: FORM_BYTES } as const;
  pages.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, body, done) => {
    const fields = new URLSearchParams(String(body));
    // A name that appears twice has no value.
    done(null, Object.fromEntries([...fields].filter(([name]) => fields.getAll(name).length === 1)));
  });
  pages.addContentTypeParser('*', options, (_request, _body, done) => done(null));
}

async function showSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  clientInfo: ClientInfo,
  options: SignInRouteOptions,
) {
  const { auth, baseUrl } = options;
  const next = toLocalPath(fieldOf(request.query, 'next'), baseUrl);
  const session = await readCookieSession(clientInfo, auth);
  const signedIn = session === null ? null : toSignedIn(session);
  if (signedIn !== null) return reply.redirect(next ?? HOME, 303);
  return sendSignInPage(reply, { next, isSignedOut: fieldOf(request.query, 'signed-out') !== null }, options);
}

async function askForLink(
  request: FastifyRequest,
  reply: FastifyReply,
  clientInfo: ClientInfo,
  options: SignInRouteOptions,
) {
  const { auth, baseUrl } = options;
  // Another site could have a link made for its own address, so that the user signs in to the wrong account.
  if (clientInfo.formOrigin !== 'own') throw foreignOrigin(baseUrl, clientInfo.formOrigin);
  const next = toLocalPath(fieldOf(request.body, 'next'), baseUrl);
  const typed = fieldOf(request.body, 'email');
  const parsed = mailboxSchema.safeParse(typed);
  if (!parsed.success) {
    return sendSignInPage(
      reply.code(422),
      { next, email: typed, fault: 'This is not a valid email address.' },
      options,
    );
  }
  const { address: email } = parsed.data;
  const { cookies } = auth;
  const [kept, known] = [clientInfo.cookie(cookies.browser), clientInfo.cookie(cookies.known)];
  const { browser } = await auth.links.request({ email, next, browser: kept, known, address: clientInfo.address });
  reply.header('set-cookie', cookies.set(cookies.browser, browser, MAGIC_LINK_SECONDS));
  return sendUserPage(reply.code(202), renderLinkMailedPage(email, options.isDevelopment));
}

async function spend(
  request: FastifyRequest,
  reply: FastifyReply,
  clientInfo: ClientInfo,
  options: SignInRouteOptions,
) {
  const { auth, baseUrl } = options;
  // A program with the cookie sends no origin. A browser always sends one, and adds the cookie only to forms of this server's pages.
  const isProgram = clientInfo.formOrigin === 'unknown' && request.headers.origin === undefined;
  if (clientInfo.formOrigin !== 'own' && !isProgram) throw foreignOrigin(baseUrl, clientInfo.formOrigin);
  const { token } = request.params as { readonly token: string }; // The route has this parameter.
  const browser = clientInfo.cookie(auth.cookies.browser);
  const spent = await auth.links.spend({
    token,
    browser,
    from: signInClientOf(clientInfo),
    former: cookieOf(clientInfo),
  });
  if (spent !== null) return await welcome(request, reply, spent.verdict, spent.next, auth);
  if (wantsJson(request))
    throw new ProblemError('not_found', {
      detail: 'The link was already used, has expired, or was requested in another browser.',
    });
  return sendUserPage(reply.code(404), renderDeadLinkPage());
}

async function signOut(reply: FastifyReply, clientInfo: ClientInfo, { auth, baseUrl }: SignInRouteOptions) {
  if (clientInfo.formOrigin !== 'own') throw foreignOrigin(baseUrl, clientInfo.formOrigin);
  const sessionToken = cookieOf(clientInfo);
  if (sessionToken !== null) await endSession(auth, sessionToken);
  reply.header('set-cookie', auth.cookies.clear(auth.cookies.session));
  return reply.redirect('/auth/sign-in?signed-out=1', 303);
}

function sendSignInPage(
  reply: FastifyReply,
  page: Omit<SignInPage, 'providers' | 'passkeyHost' | 'isDevelopment'>,
  { auth, baseUrl, isDevelopment }: SignInRouteOptions,
): FastifyReply {
  const passkeyHost = relyingPartyOf(baseUrl)?.id ?? null;
  const markup = renderSignInPage({ ...page, providers: offered(auth), passkeyHost, isDevelopment });
  return passkeyHost === null ? sendUserPage(reply, markup) : sendScriptedPage(reply, markup);
}

function offered(auth: AuthServices) {
  return [...auth.providers.values()].map(({ setting }) => ({ name: setting.name, label: labelOf(setting) }));
}
