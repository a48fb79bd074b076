import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import {
  type AnonymousLimits,
  type AnyOperation,
  type CallableOperation,
  OPERATIONS,
  type Operation,
} from '@postrider/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../keys/caller.ts';
import type { KeyAuthenticator } from '../keys/key-authenticator.ts';
import type { CallContext, Services } from '../operations/context.ts';
import { validationFailed } from '../operations/parse-part.ts';
import { ProblemError } from '../problem.ts';
import { type ClientRateLimit, createClientRateLimit } from './client-rate-limit.ts';
import { assertScope, executeOperation } from './execute-operation.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';

/** What is known of a request while it is answered; read by the request log at its end. */
export interface RequestState {
  caller: Caller | null;
  emailId: string | null;
  code: string | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request without a body is at fault. */
    takesBody?: boolean;
  }
  interface FastifyRequest {
    state: RequestState;
  }
}

export type RawRoute = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export interface RouterOptions {
  readonly services: Services;
  readonly authenticator: KeyAuthenticator;
  /** Routes of `raw` operations, by operation id. */
  readonly rawRoutes: Readonly<Record<string, RawRoute>>;
}

/** Every path is served unprefixed and under `/v1`. */
export const PREFIXES = ['', '/v1'] as const;

/** Serves every operation of the registry, unprefixed and under `/v1`, and 405 for every other method on their paths. */
export function addOperationRoutes(app: FastifyInstance, options: RouterOptions): void {
  // One count for both prefixes and all operations that have limits.
  const clients = createClientRateLimit({ clock: options.services.clock, windowMs: MINUTE_MS });
  for (const prefix of PREFIXES) {
    for (const operation of OPERATIONS) addRoute(app, prefix, operation, options, clients);
    for (const path of new Set(OPERATIONS.map((operation) => operation.path))) {
      const served = OPERATIONS.filter((operation) => operation.path === path).map(({ method }) => method);
      refuseOtherMethods(app, urlOf(prefix, path), served);
    }
  }
}

const MINUTE_MS = 60_000;

function addRoute(
  app: FastifyInstance,
  prefix: string,
  operation: AnyOperation,
  options: RouterOptions,
  clients: ClientRateLimit,
): void {
  const { anonymousLimits, body }: Operation = operation;
  app.route({
    method: operation.method,
    url: urlOf(prefix, operation.path),
    config: { takesBody: body !== undefined || operation.response === 'raw' },
    ...(anonymousLimits ? { bodyLimit: anonymousLimits.bodyBytes } : {}),
    // The key and its scope come before the body is read: the order of checks is key, scope, shape, existence, rules.
    onRequest: async (request) => {
      if (anonymousLimits) assertRate(clients.take(request.ip, anonymousLimits.requestsPerMinute), anonymousLimits);
      if (operation.access.kind === 'public') return;
      request.state.caller = await authenticate(request, options.authenticator);
      assertScope(operation, request.state);
    },
    handler: async (request, reply) => {
      const raw = operation.response === 'raw' ? options.rawRoutes[operation.id] : undefined;
      if (raw !== undefined) return await raw(request, reply);
      // Only raw operations are not callable, and those were answered above.
      return await answer(operation as CallableOperation, request, reply, options.services);
    },
  });
}

function assertRate(retryAfterSeconds: number | null, { requestsPerMinute }: AnonymousLimits): void {
  if (retryAfterSeconds === null) return;
  throw new ProblemError('rate_limited', {
    detail: `This address has made its ${requestsPerMinute} requests of this minute.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

async function authenticate(request: FastifyRequest, authenticator: KeyAuthenticator): Promise<Caller> {
  const result = await authenticator.authenticate(request.headers.authorization);
  if (!result.ok) throw new ProblemError(result.code, { detail: result.detail });
  return result.caller;
}

async function answer(operation: CallableOperation, request: FastifyRequest, reply: FastifyReply, services: Services) {
  const given = {
    params: asRecord(request.params),
    query: asRecord(request.query),
    headers: headersOf(operation, request),
    body: request.body,
  };
  const result = await executeOperation(operation, given, contextOf(request, reply, services));
  if (result.headers) reply.headers(result.headers);
  reply.code(result.status ?? operation.status);
  // The handlers of these answer bodies that can be iterated, as their type says.
  if (operation.response === 'stream') return sendStream(reply, result.body as AsyncIterable<string | Uint8Array>);
  const contentType = 'contentType' in operation ? operation.contentType : 'application/json; charset=utf-8';
  reply.header('content-type', contentType);
  return reply.send(operation.response === 'json' ? JSON.stringify(result.body) : result.body);
}

/** A client that takes nothing for this long is cut off: it holds the place of one that reads. */
const STALLED_AFTER_MS = 60_000;

/** Sends a file as it is made, at the pace of who takes it. Should it fail on the way the connection is cut, so that it cannot pass for whole. */
function sendStream(reply: FastifyReply, body: AsyncIterable<string | Uint8Array>) {
  reply.raw.setTimeout(STALLED_AFTER_MS, () => reply.raw.destroy());
  // Pieces are handed on as they are, one at a time: as buffers they would be garbage by the megabyte.
  return reply.send(Readable.from(body, { highWaterMark: 1 }));
}

/** The context of a call that came over REST. */
export function contextOf(request: FastifyRequest, reply: FastifyReply, services: Services): CallContext {
  return {
    services,
    requestId: request.id,
    via: 'rest',
    caller: request.state.caller,
    // Made only where somebody waits: most calls are over before their caller could go.
    get signal() {
      return goneSignal(reply);
    },
    rawBody: request.body,
    noteEmail: (id) => {
      request.state.emailId = id;
    },
  };
}

/** Aborts when the connection closes before the answer was sent. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** Only the headers an operation names are part of its input. Node reads header bytes as Latin-1; names and texts in them are UTF-8. */
function headersOf(operation: CallableOperation, request: FastifyRequest): Record<string, unknown> {
  const names = 'headers' in operation ? Object.keys(operation.headers.shape) : [];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, decodeHeader(name, value)]] : [];
    }),
  );
}

function decodeHeader(name: string, value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw validationFailed([{ path: name, code: 'invalid_unicode', message: 'must be UTF-8' }]);
}

function urlOf(prefix: string, path: string): string {
  return prefix !== '' && path === '/' ? prefix : `${prefix}${path}`;
}

function asRecord(value: unknown): Record<string, unknown> {
  // Fastify parses parameters and queries into objects.
  return (value ?? {}) as Record<string, unknown>;
}
