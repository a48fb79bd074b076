import { findOperation } from '@postrider/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendJson, sendUserPage, wantsJson } from '../../console/user-pages.ts';
import type { AnonymousRateLimit } from '../../http/anonymous-rate-limit.ts';
import { parseQuery } from '../../http/execute-operation.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import type { RawRoute } from '../../http/router.ts';
import { addWithAndWithoutPrefix } from '../../http/version-prefix.ts';
import { ProblemError } from '../../problem.ts';
import type { AuthServices } from '../auth-services.ts';
import { readClientInfo, toLocalPath } from '../client-info.ts';
import { signInClientOf } from '../device-client.ts';
import type { OAuthProvider } from '../oauth/oauth-client.ts';
import { labelOf } from '../oauth/provider-label.ts';
import { openAttempt, sealAttempt } from '../oauth/sealed-attempt.ts';
import { signIn } from '../sign-in.ts';
import { cookieOf } from './cookie-session.ts';
import { renderTryAgainPage } from './sign-in-pages.ts';
import { welcome } from './welcome.ts';

export interface OAuthRouteOptions {
  readonly auth: AuthServices;
  readonly baseUrl: string;
  readonly anonymousRates: AnonymousRateLimit;
  readonly onError: (error: unknown, what: string) => void;
}

/** Users take their time on a provider's pages. */
const ATTEMPT_SECONDS = 600;

/** `GET /auth/oauth/:provider`: redirects the browser to the provider. */
export function createOAuthStart({ auth, baseUrl, onError }: OAuthRouteOptions): RawRoute {
  return async (request, reply) => {
    const provider = findProvider(request, auth);
    const { next } = parseQuery(findOperation('auth.oauth'), request.query);
    try {
      const { url, attempt } = await provider.begin();
      const expiresAtMs = auth.tools.clock.now().getTime() + ATTEMPT_SECONDS * 1_000;
      const sealed = sealAttempt(auth.secrets, {
        ...attempt,
        ...{ provider: provider.setting.name, next: toLocalPath(next, baseUrl), expiresAtMs },
      });
      reply.header('set-cookie', auth.cookies.set(auth.cookies.oauth, sealed, ATTEMPT_SECONDS));
      // A page that signs in by script cannot read a redirect to another origin.
      if (wantsJson(request)) return sendJson(reply, { url });
      return reply.redirect(url, 302);
    } catch (error) {
      onError(error, `asking the provider ${provider.setting.name}`);
      return sendUserPage(reply.code(503), providerAway(provider));
    }
  };
}

/** `GET /auth/oauth/:provider/callback`: the URL to which the provider redirects the browser. */
export function addOAuthCallback(app: FastifyInstance, options: OAuthRouteOptions): void {
  addWithAndWithoutPrefix(app, (context) => {
    const url = '/auth/oauth/:provider/callback';
    context.get(url, async (request, reply) => {
      await options.anonymousRates.assertRate(findOperation('auth.oauth'), request.ip);
      return await handleCallback(request, reply, options);
    });
    refuseOtherMethods(context, url, ['GET']);
  });
}

async function handleCallback(
  request: FastifyRequest,
  reply: FastifyReply,
  { auth, baseUrl, onError }: OAuthRouteOptions,
) {
  const provider = findProvider(request, auth);
  const clientInfo = readClientInfo(request.headers, request.ip, auth.cookies, baseUrl);
  const attempt = openAttempt(auth.secrets, clientInfo.cookie(auth.cookies.oauth), {
    ...{ provider: provider.setting.name, nowMs: auth.tools.clock.now().getTime() },
  });
  // The attempt is over, whatever its result.
  reply.header('set-cookie', auth.cookies.clear(auth.cookies.oauth));
  if (attempt === null) return sendUserPage(reply.code(400), notBegun(provider));
  const arrival = await provider.finish(queryOf(request.url), attempt).catch((error: unknown) => {
    onError(error, `signing in by ${provider.setting.name}`);
    return null;
  });
  if (arrival === null) return sendUserPage(reply.code(400), notBegun(provider));
  const verdict = await signIn(auth.tools, arrival, signInClientOf(clientInfo), cookieOf(clientInfo));
  return await welcome(request, reply, verdict, attempt.next, auth);
}

function findProvider(request: FastifyRequest, { providers }: AuthServices): OAuthProvider {
  const { provider: name } = request.params as { readonly provider: string }; // The routes have this parameter.
  const provider = providers.get(name);
  if (provider === undefined)
    throw new ProblemError('not_found', { detail: 'There is no such provider to sign in with.' });
  return provider;
}

function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

function providerAway({ setting }: OAuthProvider): string {
  return renderTryAgainPage('Please try again', `${labelOf(setting)} does not respond at the moment.`);
}

function notBegun({ setting }: OAuthProvider): string {
  const reason = `${labelOf(setting)} did not confirm who you are, or the sign-in was started in another browser. You are not signed in.`;
  return renderTryAgainPage('The sign-in did not work', reason);
}
