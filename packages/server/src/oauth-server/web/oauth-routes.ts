import type { AnonymousLimits } from '@postrider/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthServices } from '../../auth/auth-services.ts';
import { readClientInfo } from '../../auth/client-info.ts';
import { foreignOrigin } from '../../auth/foreign-origin.ts';
import { readCookieSession } from '../../auth/web/cookie-session.ts';
import { sendJson, sendScriptedPage, sendUserPage, toSignedIn } from '../../console/user-pages.ts';
import { PageForm } from '../../console/web/page-form.ts';
import type { AnonymousRateLimit } from '../../http/anonymous-rate-limit.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import type { Caller, User } from '../../keys/caller.ts';
import type { KeyTools } from '../../keys/manage-keys.ts';
import { toKeyProblem } from '../../operations/keys/key-problems.ts';
import type { SignedIn } from '../../ui/single-page.ts';
import { type AccessRequest, readAccessRequest } from '../access-request.ts';
import { readClientMetadata } from '../client-metadata.ts';
import { grantAccess } from '../grant-access.ts';
import { toSubject } from '../grant-name.ts';
import { mcpResources, OAUTH_PATHS, RESOURCE_METADATA_PATH, SERVER_METADATA_PATH } from '../oauth-paths.ts';
import type { LoadedServer } from '../oauth-service.ts';
import { requestedScopes } from '../requested-scopes.ts';
import { readChoices } from './consent-choices.ts';
import { renderConsentDonePage, renderConsentFaultPage, renderConsentPage } from './consent-page.ts';
import { respondThrough, toForwarded } from './forward-request.ts';
import { resourceMetadata, serverMetadata } from './oauth-metadata.ts';

export interface OAuthServerRouteOptions {
  readonly auth: AuthServices;
  readonly baseUrl: string;
  readonly anonymousRates: AnonymousRateLimit;
  readonly keys: KeyTools;
  readonly load: () => Promise<LoadedServer>;
}

/** More than any form or registration needs. */
const BODY_BYTES = 16_384;
const REQUESTS: AnonymousLimits = { count: 'sign-in', requestsPerMinute: 300 };
/** Each is stored. */
const REGISTRATIONS: AnonymousLimits = { count: 'registrations', requestsPerMinute: 30 };
const FORM = 'application/x-www-form-urlencoded';

/** Programs in a browser read metadata and get tokens from other origins. No cookie has an effect there. */
const OPEN = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
  'access-control-max-age': '3600',
} as const;

/** Adds the endpoints of the authorization server, the page on which users decide, and the metadata of both. */
export function addOAuthServerRoutes(app: FastifyInstance, options: OAuthServerRouteOptions): void {
  const { baseUrl } = options;
  app.register(async (routes) => {
    acceptBodies(routes);
    const metadata = { [SERVER_METADATA_PATH]: serverMetadata(baseUrl), ...resourceDocuments(baseUrl) };
    for (const [path, document] of Object.entries(metadata)) {
      addOpen(routes, 'GET', path, async (_request, reply) =>
        sendJson(reply.header('cache-control', 'public, max-age=300'), document),
      );
    }
    const limited = (limits: AnonymousLimits) => async (request: FastifyRequest) =>
      await options.anonymousRates.assertCount(limits, request.ip);
    for (const path of [OAUTH_PATHS.token, OAUTH_PATHS.revocation]) {
      addOpen(
        routes,
        'POST',
        path,
        async (request, reply) => await forwardForm(request, reply, options),
        limited(REQUESTS),
      );
    }
    addOpen(
      routes,
      'POST',
      OAUTH_PATHS.registration,
      async (request, reply) => await register(request, reply, options),
      limited(REQUESTS),
    );
    const { authorization, consent } = OAUTH_PATHS;
    const onRequest = limited(REQUESTS);
    routes.get(authorization, { onRequest }, async (request, reply) => await authorize(request, reply, options));
    routes.get(
      `${authorization}/:uid`,
      { onRequest },
      async (request, reply) => await forward(request, reply, options),
    );
    routes.get(`${consent}/:uid`, { onRequest }, async (request, reply) => await showConsent(request, reply, options));
    routes.post(`${consent}/:uid`, { onRequest }, async (request, reply) => await decide(request, reply, options));
    refuseOtherMethods(routes, authorization, ['GET']);
    refuseOtherMethods(routes, `${authorization}/:uid`, ['GET']);
    refuseOtherMethods(routes, `${consent}/:uid`, ['GET', 'POST']);
  });
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

function addOpen(
  routes: FastifyInstance,
  method: 'GET' | 'POST',
  url: string,
  handler: Handler,
  onRequest?: (request: FastifyRequest) => Promise<void>,
): void {
  routes.route({
    ...{ method, url, bodyLimit: BODY_BYTES },
    onRequest: async (request, reply) => {
      reply.headers(OPEN);
      await onRequest?.(request);
    },
    handler,
  });
  routes.options(url, async (_request, reply) => reply.headers(OPEN).code(204).send());
  refuseOtherMethods(routes, url, [method, 'OPTIONS']);
}

function resourceDocuments(baseUrl: string): Record<string, object> {
  const paths = mcpResources(baseUrl).map((resource) => resource.slice(baseUrl.length));
  return {
    [RESOURCE_METADATA_PATH]: resourceMetadata(baseUrl, paths[0] ?? ''),
    ...Object.fromEntries(paths.map((path) => [`${RESOURCE_METADATA_PATH}${path}`, resourceMetadata(baseUrl, path)])),
  };
}

/** Bodies reach the authorization server as they were sent. */
function acceptBodies(routes: FastifyInstance): void {
  routes.removeAllContentTypeParsers();
  routes.addContentTypeParser(
    [FORM, 'application/json'],
    { parseAs: 'buffer', bodyLimit: BODY_BYTES },
    (_request, body, done) => done(null, body),
  );
}

async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  { load, baseUrl }: OAuthServerRouteOptions,
): Promise<void> {
  const { listener } = await load();
  await respondThrough(listener, toForwarded(request, baseUrl), reply);
}

async function forwardForm(
  request: FastifyRequest,
  reply: FastifyReply,
  options: OAuthServerRouteOptions,
): Promise<void> {
  const { listener } = await options.load();
  const body = { bytes: bytesOf(request), type: request.headers['content-type'] ?? FORM };
  await respondThrough(listener, toForwarded(request, options.baseUrl, { body }), reply);
}

/** A request that names no scope, or only ones that programs cannot get, asks for the first ones: the user decides anyway. */
async function authorize(
  request: FastifyRequest,
  reply: FastifyReply,
  { load, baseUrl }: OAuthServerRouteOptions,
): Promise<void> {
  const { listener } = await load();
  const url = new URL(request.url, baseUrl);
  const given = url.searchParams.getAll('scope');
  if (given.length <= 1) url.searchParams.set('scope', requestedScopes(given[0]).join(' '));
  await respondThrough(listener, toForwarded(request, baseUrl, { url: `${url.pathname}${url.search}` }), reply);
}

async function register(
  request: FastifyRequest,
  reply: FastifyReply,
  { load, baseUrl, anonymousRates }: OAuthServerRouteOptions,
): Promise<unknown> {
  const verdict = readClientMetadata(parseJson(bytesOf(request)));
  if (!verdict.ok) return sendJson(reply.code(400), { error: verdict.error, error_description: verdict.why });
  await anonymousRates.assertCount(REGISTRATIONS, request.ip);
  const { listener } = await load();
  const body = { bytes: Buffer.from(JSON.stringify(verdict.metadata)), type: 'application/json' };
  return await respondThrough(listener, toForwarded(request, baseUrl, { body }), reply);
}

/** The user in front of the consent page, with the request that they decide about. */
interface Visit {
  readonly signedIn: SignedIn;
  readonly caller: Caller & { readonly user: User };
  readonly request: AccessRequest;
  readonly path: string;
  readonly now: Date;
}

async function showConsent(
  request: FastifyRequest,
  reply: FastifyReply,
  options: OAuthServerRouteOptions,
): Promise<unknown> {
  const visit = await readVisit(request, reply, options);
  if (visit === null) return reply;
  return sendScriptedPage(reply, renderConsentPage({ ...visit, form: new PageForm([]) }));
}

async function decide(
  request: FastifyRequest,
  reply: FastifyReply,
  options: OAuthServerRouteOptions,
): Promise<unknown> {
  const { auth, baseUrl, keys, load } = options;
  // Another site could submit the form, which the user has not seen.
  const { formOrigin } = readClientInfo(request.headers, request.ip, auth.cookies, baseUrl);
  if (formOrigin !== 'own') throw foreignOrigin(baseUrl, formOrigin);
  const visit = await readVisit(request, reply, options);
  if (visit === null) return reply;
  const { caller, signedIn, request: access, now } = visit;
  const form = new PageForm(new URLSearchParams(bytesOf(request).toString('utf8')));
  const { provider } = await load();
  const finish = async (result: object, allowed: boolean) => {
    const next = await provider.interactionResult(toForwarded(request, baseUrl), reply.raw, { ...result });
    // Not a redirect: the policy of the page forbids forms that lead to other hosts, as the program’s may be.
    reply.header('refresh', `0;url=${next}`);
    return sendUserPage(reply, renderConsentDonePage(signedIn, { allowed, next }));
  };
  const decision = form.get('decision');
  if (decision === 'deny') {
    return await finish({ error: 'access_denied', error_description: 'The user denied access.' }, false);
  }
  if (decision !== 'allow') return sendScriptedPage(reply, renderConsentPage({ ...visit, form, isPreview: true }));
  const choices = readChoices(form, access, now);
  if (!choices.ok)
    return sendScriptedPage(reply.code(422), renderConsentPage({ ...visit, form, problems: choices.problems }));
  const replaced = access.former.find(({ keyId }) => keyId === form.get('replaces'))?.keyId ?? null;
  const verdict = await grantAccess(keys, caller, access, choices.input, replaced);
  switch (verdict.kind) {
    case 'granted':
      return await finish(
        { login: { accountId: toSubject(verdict.grant) }, consent: { grantId: verdict.grant.keyId } },
        true,
      );
    case 'invalid':
      return sendScriptedPage(reply.code(422), renderConsentPage({ ...visit, form, problems: verdict.problems }));
    case 'refused': {
      const { message, details } = toKeyProblem(verdict.refusal);
      const refusal = `${message} ${details.fix ?? ''}`.trim();
      return sendScriptedPage(reply.code(403), renderConsentPage({ ...visit, form, refusal }));
    }
  }
}

/** Reads the request of this browser and its user. Null if the response is sent: there is no such request, or the user has to sign in. */
async function readVisit(
  request: FastifyRequest,
  reply: FastifyReply,
  options: OAuthServerRouteOptions,
): Promise<Visit | null> {
  const { auth, baseUrl, load, keys } = options;
  const { provider } = await load();
  const [path = ''] = request.url.split('?');
  const interaction = await provider.interactionDetails(toForwarded(request, baseUrl), reply.raw).catch(() => null);
  const session = await readCookieSession(readClientInfo(request.headers, request.ip, auth.cookies, baseUrl), auth);
  const signedIn = session === null ? null : toSignedIn(session);
  const { uid } = request.params as { readonly uid: string }; // The routes have this parameter.
  if (interaction === null || interaction.uid !== uid || interaction.result !== undefined) {
    sendUserPage(reply.code(404), renderConsentFaultPage('This request has ended', ENDED, signedIn));
    return null;
  }
  if (session === null || signedIn === null || session.caller.user === null) {
    reply.redirect(`/auth/sign-in?next=${encodeURIComponent(path)}`, 303);
    return null;
  }
  const { client_id: clientId, scope, redirect_uri: redirectUri } = interaction.params;
  const client = await provider.Client.find(String(clientId)).catch(() => undefined);
  if (client === undefined) {
    sendUserPage(reply.code(404), renderConsentFaultPage('The program is not known any more', GONE, signedIn));
    return null;
  }
  const { user, accountId } = session.caller;
  const now = keys.clock.now();
  const access = await readAccessRequest(keys.sql, {
    ...{ client, user, accountId, now, redirectUri: String(redirectUri) },
    scope: typeof scope === 'string' ? scope : undefined,
  });
  return { signedIn, caller: { ...session.caller, user }, request: access, path, now };
}

const ENDED = 'It was decided, has expired, or was started in another browser. Start again in the program.';
const GONE = 'Its details cannot be read at the moment. Start again in the program.';

function bytesOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
