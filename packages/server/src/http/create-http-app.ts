import { type IncomingHttpHeaders, METHODS } from 'node:http';
import { isRequestId, LIMITS, type Problem } from '@postrider/core';
import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Logger } from 'pino';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { reportLargeGarbage } from '../heap.ts';
import type { Caller } from '../keys/caller.ts';
import { ProblemError, problemHeaders, toProblem } from '../problem.ts';
import { createArrivingBodies, isBodyArriving } from './arriving-bodies.ts';
import { expireCheck } from './check-caller.ts';
import { respondToClientError } from './client-error.ts';
import { type ConnectionLimits, limitConnections } from './connection-limits.ts';
import { awaitsContinue, offerContinue } from './expect-continue.ts';
import { faultOfHeaders } from './invalid-http.ts';
import { loggedPath, pathOf } from './logged-path.ts';
import { MAX_PARAM_CHARACTERS, pathWithoutSlash, refusalOfMethod, rememberServedPaths } from './method-not-allowed.ts';
import { prefersHtml } from './prefers-text.ts';
import { parseQueryString } from './query-string.ts';
import { readJsonBody } from './read-json-body.ts';
import type { RequestLog } from './request-log.ts';
import { closeBeforeUnreadBody } from './unread-body.ts';
import { limitUnreadResponses } from './unread-responses.ts';

export interface HttpAppOptions {
  readonly baseUrl: string;
  readonly trustedProxies: readonly string[];
  readonly logger: Logger;
  readonly requestLog: RequestLog;
  /** Identifies the key or session of a request that no operation handled: its error must appear in that account's log too. */
  readonly identify: (headers: IncomingHttpHeaders) => Promise<Caller | null>;
  /** Renders an error for a user in a browser. Without it, every error is JSON. */
  readonly renderProblem?: (problem: Problem) => ProblemPage;
  /** Time limits for clients; PATIENCE by default. */
  readonly patience?: Patience;
  /** How many connections may be open; unlimited by default. */
  readonly connections?: ConnectionLimits;
  /** How many processes of this server share the limits on bodies and responses; 1 by default. */
  readonly processes?: number;
}

/** An error as a page, with the headers that it needs. */
export interface ProblemPage {
  readonly markup: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Time limits for clients, and how often connections are checked for them. */
export interface Patience {
  /** For sending a request, for its headers and in total. */
  readonly requestMs: number;
  /** For reading nothing of a response. */
  readonly stalledMs: number;
  readonly lookEveryMs: number;
}

/**
 * Slow clients are disconnected, so that they cannot occupy connections and memory. A request has 30 s at most, including the check
 * interval.
 */
export const PATIENCE: Patience = { requestMs: 27_000, stalledMs: 60_000, lookEveryMs: 2_000 };
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

/** A Fastify instance with everything that is common to all routes: request ids, JSON, problem bodies, the request log. No routes. */
export function createHttpApp(options: HttpAppOptions): FastifyInstance {
  const { requestMs, stalledMs, lookEveryMs } = options.patience ?? PATIENCE;
  const { processes = 1 } = options;
  const app = fastify({
    logger: false,
    bodyLimit: LIMITS.requestBodyBytes, // For routes that do not set one.
    requestTimeout: requestMs,
    // By default Node checks every 30 s, and gives the whole request the 60 s for headers if those are longer.
    http: {
      headersTimeout: requestMs,
      connectionsCheckingInterval: lookEveryMs,
      maxHeaderSize: LIMITS.headerSectionBytes,
      requireHostHeader: false, // Handled below, like unknown values of Expect.
    },
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestIdHeader: false,
    genReqId: (request) => ownIdOf(request.headers) ?? options.requestLog.newRequestId(),
    forceCloseConnections: 'idle',
    return503OnClosing: false, // Handled below, in the one format of all errors.
    routerOptions: {
      maxParamLength: MAX_PARAM_CHARACTERS,
      ignoreTrailingSlash: false,
      querystringParser: parseQueryString,
    },
    clientErrorHandler: (error, socket) =>
      respondToClientError(error, socket, options.baseUrl, options.requestLog.newRequestId()),
    frameworkErrors: (error, request, reply) => {
      // Reached before any hook ran, for example for a path that cannot be decoded.
      reply.header('x-request-id', request.id);
      sendProblem(reply, request, toProblemError(error, options.logger, request), options);
    },
  });
  // Methods that no path supports are rejected by name on existing paths. CONNECT never arrives as a request.
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method);
  }
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.decorateRequest('state');
  rememberServedPaths(app);
  app.addHook('onRequest', (request, reply, done) => {
    request.state = {
      caller: null,
      checkedAtMs: 0,
      arriving: null,
      largeBytes: 0,
      heldBytes: 0,
      emailId: null,
      code: null,
      refused: null,
    };
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
    const fault = faultOfHeaders(request.raw);
    if (fault !== null) return done(fault);
    // If there is no route, the body is not read either.
    if (!closing) return request.is404 ? done(refusalOfMethod(app, request) ?? noSuchPath(app, request)) : done();
    reply.header('connection', 'close');
    done(new ProblemError('unavailable', { detail: 'This process is shutting down.' }));
  });
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply, options);
    if (request.state?.largeBytes > 0) reportLargeGarbage(request.state.largeBytes);
    done();
  });
  const { connections } = options;
  if (connections !== undefined) limitConnections(app.server, connections, options);
  offerContinue(app.server);
  admitBodies(app, processes);
  limitUnreadResponses(app, { processes, stalledMs, lookEveryMs, logger: options.logger });
  endConnectionsWhenClosing(app);
  addBodyParser(app);
  app.setErrorHandler((error, request, reply) => {
    const problem =
      error instanceof ProblemError ? error : toProblemError(error as FastifyError, options.logger, request);
    sendProblem(reply, request, problem, options);
  });
  app.setNotFoundHandler((request, reply) => {
    sendProblem(reply, request, noSuchPath(app, request), options);
  });
  return app;
}

/** The request id that the client chose; null if it chose none that is valid. */
function ownIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string | null {
  return typeof given === 'string' && isRequestId(given) ? given : null;
}

function noSuchPath(app: FastifyInstance, { method, url }: FastifyRequest): ProblemError {
  const detail = `There is nothing at ${method} ${pathOf(url)}.`;
  const bare = pathWithoutSlash(app, url);
  if (bare === null) return new ProblemError('not_found', { detail });
  return new ProblemError('not_found', {
    detail,
    fix: `Remove the slash at the end of the path: \`${method} ${bare}\`.`,
  });
}

/**
 * A small body arrives together with its headers. It is complete at the end of this iteration of the event loop, which has read all sockets
 * that are ready, and costs nothing here.
 */
function admitBodies(app: FastifyInstance, processes: number): void {
  const bodies = createArrivingBodies(processes);
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { raw } = request;
    // The rest of the other bodies is not read.
    if (request.method === 'GET' || request.method === 'HEAD' || !isBodyArriving(raw)) return done(null, payload);
    setImmediate(() => {
      if (!isBodyArriving(raw)) return done(null, payload);
      // Nothing more arrives, and no event will report the end.
      if (raw.destroyed) return done(new Error('The client disconnected.'));
      try {
        request.state.arriving = bodies.admit(request);
        expireCheck(request.state);
      } catch (error) {
        return done(error as Error);
      }
      if (awaitsContinue(raw)) reply.raw.writeContinue();
      done(null, payload);
    });
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isBodyArriving(request.raw)) closeBeforeUnreadBody(request.raw, reply);
    done(null, payload);
  });
}

/** An idle keep-alive connection would block the shutdown until its client closes it. */
function endConnectionsWhenClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  // If the headers were sent before, the connection is closed once it is idle.
  app.addHook('onResponse', (_request, _reply, done) => {
    if (closing) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}

function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/(?:[a-z0-9.+-]+\+)?json(?:\s*;|$)/i, readJsonBody);
}

/** The paths of pages for users, with and without the prefix of the version. */
const PAGE_PATHS = /^(?:\/v1)?\/(?:console|auth|approvals|oauth\/consent)(?:[/?]|$)/;

function sendProblem(
  reply: FastifyReply,
  request: FastifyRequest,
  error: ProblemError,
  { baseUrl, renderProblem }: Pick<HttpAppOptions, 'baseUrl' | 'renderProblem'>,
): void {
  const problem = toProblem(error, baseUrl, request.id);
  if (request.state) request.state.code = error.code;
  reply.code(problem.status).headers(problemHeaders(error));
  if (error.code === 'invalid_json' && request.routeOptions.config.isJsonRpc === true) {
    reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(toParseError(problem)));
    return;
  }
  const isPage = PAGE_PATHS.test(request.url) && request.routeOptions.config.isForPrograms !== true;
  if (renderProblem !== undefined && isPage && prefersHtml(request.headers.accept)) {
    const { markup, headers } = renderProblem(problem);
    reply.headers(headers).header('content-type', 'text/html; charset=utf-8').send(markup);
    return;
  }
  reply.header('content-type', 'application/problem+json; charset=utf-8').send(JSON.stringify(problem));
}

/** The response of JSON-RPC 2.0 to a body that is not JSON (section 5.1). The problem is its data, as in the errors of tools. */
function toParseError(problem: Problem): object {
  const error = { code: -32_700, message: `Parse error: ${problem.detail}`, data: problem };
  return { jsonrpc: '2.0', id: null, error };
}

/** Converts errors of the framework or the database to a problem. Unexpected errors are logged in full and returned as `internal`. */
function toProblemError(error: FastifyError, logger: Logger, request: FastifyRequest): ProblemError {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ProblemError('payload_too_large', {
        detail: `The body is larger than ${request.routeOptions.bodyLimit} bytes, the limit of this operation.`,
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return new ProblemError('unsupported_media_type', {
        detail: `The body has ${request.headers['content-type'] ? `the type \`${request.headers['content-type']}\`` : 'no content type'}.`,
      });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new ProblemError('invalid_json', { detail: error.message });
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ProblemError('not_found', { detail: 'The path is not a valid URL path.' });
  }
  if (request.raw.destroyed && !request.raw.complete) {
    // The client disconnected during its request: no one receives the response, and it is not an error on our side.
    logger.debug({ requestId: request.id, error: error.message }, 'client gone');
    return new ProblemError('invalid_json', { detail: 'The request ended before its body did.' });
  }
  if (classifyDatabaseError(error) === 'unavailable') {
    logger.warn({ requestId: request.id, error: error.message }, 'database unavailable');
    return new ProblemError('unavailable', { detail: 'The database does not respond at the moment.' });
  }
  logger.error({ requestId: request.id, err: error }, 'unexpected fault');
  return new ProblemError('internal');
}

function logRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { requestLog, logger, identify }: HttpAppOptions,
): void {
  const { caller, code, emailId } = request.state;
  const path = loggedPath(request.url, request.routeOptions.url);
  const durationMs = Math.round(reply.elapsedTime);
  if (logger.isLevelEnabled('debug')) {
    logger.debug(
      { requestId: request.id, method: request.method, path, status: reply.statusCode, durationMs, code },
      'request',
    );
  }
  const add = ({ accountId, keyId, user }: Caller) =>
    requestLog.add(
      {
        accountId,
        requestId: request.id,
        method: request.method,
        path,
        status: reply.statusCode,
        code,
        durationMs,
        keyId: user === null ? keyId : null,
        emailId,
      },
      ownIdOf(request.headers) === null,
    );
  if (caller !== null) add(caller);
  else if (isMissed(request, reply.statusCode)) {
    identify(request.headers).then(
      (found) => found !== null && add(found),
      (error: unknown) =>
        logger.debug({ requestId: request.id, error: String(error) }, 'identifying the caller of a request'),
    );
  }
}

/**
 * No operation is there, so the key has not been checked. Browsers also add a cookie to pages, whose paths contain
 * secrets: only paths without a page are logged for them.
 */
function isMissed({ headers, is404 }: FastifyRequest, status: number): boolean {
  if (headers.authorization !== undefined) return status === 404 || status === 405;
  return headers.cookie !== undefined && is404;
}
