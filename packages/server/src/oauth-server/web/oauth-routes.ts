import { type AnonymousLimits, FIRST_PROGRAM_SCOPES } from '@postrider/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendJson, sendUserPage } from '../../console/user-pages.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import { readClientMetadata } from '../client-metadata.ts';
import type { EndpointContext } from '../endpoint-context.ts';
import { mcpPaths, mcpResources, OAUTH_PATHS, RESOURCE_METADATA_PATH, SERVER_METADATA_PATH } from '../oauth-paths.ts';
import { renderConsentFaultPage } from './consent-page.ts';
import { addConsentRoutes } from './consent-routes.ts';
import { respondThrough, toForwarded } from './forward-request.ts';
import { resourceMetadata, serverMetadata } from './oauth-metadata.ts';
import { bytesOf, type OAuthServerRouteOptions } from './oauth-request.ts';

/** More than any form or registration needs. */
const BODY_BYTES = 16_384;
const SIGN_INS: AnonymousLimits = { count: 'sign-in', requestsPerMinute: 300 };
/** Programs of many users can be behind one address, and users sign in from there too. */
const TOKENS: AnonymousLimits = { count: 'tokens', requestsPerMinute: 600 };
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

const AT_AUTHORIZATION: EndpointContext = { usesStoredClients: false, isRevocation: false };
const AT_OTHERS: EndpointContext = { usesStoredClients: true, isRevocation: false };
const AT_REVOCATION: EndpointContext = { usesStoredClients: true, isRevocation: true };

/** Adds the endpoints of the authorization server, the page on which users decide, and the metadata of both. */
export function addOAuthServerRoutes(app: FastifyInstance, options: OAuthServerRouteOptions): void {
  const { baseUrl, anonymousRates, fetchesMetadata } = options;
  const limited = (limits: AnonymousLimits) => async (request: FastifyRequest) =>
    await anonymousRates.assertCount(limits, request.ip);
  app.register(async (routes) => {
    acceptBodies(routes);
    const documents = {
      [SERVER_METADATA_PATH]: serverMetadata(baseUrl, fetchesMetadata),
      ...resourceDocuments(baseUrl),
    };
    for (const [path, document] of Object.entries(documents)) {
      addOpen(routes, 'GET', path, async (_request, reply) =>
        sendJson(reply.header('cache-control', 'public, max-age=300'), document),
      );
    }
    const { authorization, token, revocation, registration } = OAUTH_PATHS;
    const addForm = (path: string, context: EndpointContext) =>
      addOpen(
        routes,
        'POST',
        path,
        async (request, reply) => await forwardForm(request, reply, options, context),
        limited(TOKENS),
      );
    addForm(token, AT_OTHERS);
    addForm(revocation, AT_REVOCATION);
    addOpen(
      routes,
      'POST',
      registration,
      async (request, reply) => await register(request, reply, options),
      limited(TOKENS),
    );
    const page = { onRequest: limited(SIGN_INS), exposeHeadRoute: false };
    routes.get(authorization, page, async (request, reply) => await authorize(request, reply, options));
    routes.get(`${authorization}/:uid`, page, async (request, reply) => await resume(request, reply, options));
    for (const path of [authorization, `${authorization}/:uid`]) {
      // Without a user in front of it, a request must begin and end nothing.
      routes.head(path, (_request, reply) => reply.send());
      refuseOtherMethods(routes, path, ['GET']);
    }
    addConsentRoutes(routes, { ...options, onRequest: limited(SIGN_INS) });
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
  const [main = '', ...others] = mcpPaths();
  const entries = [main, ...others].map((path) => [
    `${RESOURCE_METADATA_PATH}${path}`,
    resourceMetadata(baseUrl, path),
  ]);
  return { [RESOURCE_METADATA_PATH]: resourceMetadata(baseUrl, main), ...Object.fromEntries(entries) };
}

/** Bodies reach the authorization server as they were sent. */
function acceptBodies(routes: FastifyInstance): void {
  routes.removeAllContentTypeParsers();
  const parser = { parseAs: 'buffer', bodyLimit: BODY_BYTES } as const;
  routes.addContentTypeParser([FORM, 'application/json'], parser, (_request, body, done) => done(null, body));
}

async function resume(request: FastifyRequest, reply: FastifyReply, { load, baseUrl }: OAuthServerRouteOptions) {
  await respondThrough((await load()).listener, toForwarded(request, baseUrl), reply, AT_OTHERS);
}

async function forwardForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { load, baseUrl }: OAuthServerRouteOptions,
  context: EndpointContext,
): Promise<unknown> {
  const parameters = new URLSearchParams(bytesOf(request).toString('utf8'));
  nameResource(parameters, baseUrl);
  const resources = parameters.getAll('resource');
  if (resources.some((name) => name !== mcpResources(baseUrl)[0])) {
    // Before the code or token is used up.
    const why = `The resource of this server is ${mcpResources(baseUrl)[0]}.`;
    return sendJson(reply.code(400), { error: 'invalid_target', error_description: why });
  }
  const body = { bytes: Buffer.from(parameters.toString()), type: request.headers['content-type'] ?? FORM };
  return await respondThrough((await load()).listener, toForwarded(request, baseUrl, { body }), reply, context);
}

/**
 * Fills in what a request leaves open. One that names no scope asks for the first ones. Results are always in the query of the redirect URI,
 * as the metadata say: another form would send them from a page of this server.
 */
async function authorize(
  request: FastifyRequest,
  reply: FastifyReply,
  { load, baseUrl }: OAuthServerRouteOptions,
): Promise<unknown> {
  const { pathname, searchParams } = new URL(request.url, baseUrl);
  if ([...searchParams].flat().some((text) => CONTROLS.test(text))) {
    return sendUserPage(reply.code(400), renderConsentFaultPage('The program cannot sign in', UNREADABLE));
  }
  if ((searchParams.get('scope') ?? '') === '') searchParams.set('scope', FIRST_PROGRAM_SCOPES.join(' '));
  searchParams.delete('response_mode');
  nameResource(searchParams, baseUrl);
  const forwarded = toForwarded(request, baseUrl, { url: `${pathname}?${searchParams}` });
  return await respondThrough((await load()).listener, forwarded, reply, AT_AUTHORIZATION);
}

const CONTROLS = /[\p{Cc}\p{Cs}]/u;
const UNREADABLE = 'Its request contains control characters. Start again in the program, or report this to its maker.';

/** Gives the resource its one name, so that the names that programs use for it do not differ between requests. */
function nameResource(parameters: URLSearchParams, baseUrl: string): void {
  const given = parameters.getAll('resource');
  if (given.length === 0 || !given.every((name) => mcpResources(baseUrl).includes(name))) return;
  parameters.set('resource', mcpResources(baseUrl)[0] ?? '');
}

async function register(
  request: FastifyRequest,
  reply: FastifyReply,
  { load, baseUrl, anonymousRates }: OAuthServerRouteOptions,
): Promise<unknown> {
  const verdict = readClientMetadata(parseJson(bytesOf(request)), baseUrl);
  if (!verdict.ok) return sendJson(reply.code(400), { error: verdict.error, error_description: verdict.why });
  await anonymousRates.assertCount(REGISTRATIONS, request.ip);
  const body = { bytes: Buffer.from(JSON.stringify(verdict.metadata)), type: 'application/json' };
  return await respondThrough((await load()).listener, toForwarded(request, baseUrl, { body }), reply, AT_OTHERS);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
