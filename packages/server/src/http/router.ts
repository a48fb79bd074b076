import { isUtf8 } from 'node:buffer';
import {
  type AnyOperation,
  bodyLimitOf,
  type CallableOperation,
  OPERATIONS,
  type Operation,
  servedMethods,
} from '@postrider/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countCharacters, isLargeJson, jsonPieces } from '../json-pieces.ts';
import type { Caller } from '../keys/caller.ts';
import type { KeyRates, RateVerdict } from '../keys/key-rates.ts';
import type { Services } from '../operations/context.ts';
import { validationFailed } from '../operations/parse-part.ts';
import { readyJsonOf } from '../operations/ready-json.ts';
import { nextSlice } from '../time-slice.ts';
import { whenKnown } from '../when-known.ts';
import type { AnonymousRateLimit } from './anonymous-rate-limit.ts';
import type { RequestAuthentication } from './authenticate-request.ts';
import { checkCaller, isFresh, refreshCaller } from './check-caller.ts';
import { deprecationHeaders } from './deprecation-headers.ts';
import { refuseEmptyParameters } from './empty-parameter.ts';
import { assertScope, executeOperation } from './execute-operation.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';
import { rateHeaders, rateLimited } from './rate-headers.ts';
import { RestContext } from './rest-context.ts';
import { sendStream } from './send-stream.ts';
import { addWithAndWithoutPrefix } from './version-prefix.ts';

export type RawRoute = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export interface RouterOptions extends RequestAuthentication {
  readonly services: Services;
  readonly rates: KeyRates;
  /** Routes of `raw` operations, by operation id. */
  readonly rawRoutes: Readonly<Record<string, RawRoute>>;
  readonly anonymousRates: AnonymousRateLimit;
}

/** Serves every operation of the registry, unprefixed and under `/v1`, and responds with 405 to every other method on their paths. */
export function addOperationRoutes(app: FastifyInstance, options: RouterOptions): void {
  addWithAndWithoutPrefix(app, (context) => {
    refuseEmptyParameters(context);
    for (const operation of OPERATIONS) addRoute(context, operation, options);
    for (const path of new Set(OPERATIONS.map((operation) => operation.path))) {
      refuseOtherMethods(context, path, servedMethods(OPERATIONS, path));
    }
  });
}

function addRoute(app: FastifyInstance, operation: AnyOperation, options: RouterOptions): void {
  const { deprecated, anonymousLimits }: Operation = operation;
  const isLimited = anonymousLimits !== undefined;
  const headers = 'headers' in operation ? Object.keys(operation.headers.shape) : [];
  const deprecation = deprecated === undefined ? null : deprecationHeaders(deprecated, options.baseUrl);
  app.route({
    method: operation.method,
    url: operation.path,
    config: {
      acceptsBody: needsBody(operation),
      isForPrograms: operation.response !== 'raw',
      isJsonRpc: operation.id === 'service.mcp',
    },
    bodyLimit: bodyLimitOf(operation),
    // All checks of the key run before the body is read. The order of checks is key, address, rate, scope, shape,
    // existence, rules.
    onRequest: (request, reply, done) => {
      if (deprecation !== null) reply.headers(deprecation);
      const authorize = () => authorizeRequest(operation, request, reply, options);
      let authorized: void | Promise<void>;
      try {
        authorized = isLimited ? options.anonymousRates.assertRate(operation, request.ip).then(authorize) : authorize();
      } catch (error) {
        return done(error as Error);
      }
      if (authorized instanceof Promise) authorized.then(() => done(), done);
      else done();
    },
    preHandler: (request, _reply, done) => {
      // A rejected request runs nothing, and gets an error in the format of its protocol.
      const { caller, refused } = request.state;
      if (caller === null || refused !== null || isFresh(request.state)) return done();
      refreshCaller(operation, request, options).then(() => done(), done);
    },
    handler: (request, reply) => {
      const raw = operation.response === 'raw' ? options.rawRoutes[operation.id] : undefined;
      if (raw !== undefined) return raw(request, reply);
      // Only raw operations are not callable, and those were handled above.
      return respond(operation as CallableOperation, headers, request, reply, options.services);
    },
  });
}

/** Some operations have an optional body, with default values. */
function needsBody({ body, response }: Operation): boolean {
  return response === 'raw' || (body !== undefined && !body.safeParse(undefined).success);
}

/**
 * Checks the key, its rate and its scope, and sets the rate limit headers of the response. Nothing waits if the key and its allowance are
 * known already.
 */
function authorizeRequest(
  operation: AnyOperation,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RouterOptions,
): void | Promise<void> {
  if (operation.access.kind === 'public') return;
  return whenKnown(checkCaller(operation, request, options), (caller) =>
    whenKnown(enforceKeyRate(operation, caller, request, reply, options.rates), () =>
      assertScope(operation, request.state),
    ),
  );
}

/** Counts the request against the rate limit of its key. An operation with its own protocol reports the refusal itself. */
function enforceKeyRate(
  operation: AnyOperation,
  caller: Caller,
  { state }: FastifyRequest,
  reply: FastifyReply,
  rates: KeyRates,
): void | Promise<void> {
  const refuse = (error: Error) => {
    if (operation.response !== 'raw') throw error;
    state.refused = error;
  };
  const enforce = (verdict: RateVerdict) => {
    reply.headers(rateHeaders(verdict));
    if (!verdict.ok) refuse(rateLimited(verdict));
  };
  const verdict = rates.take(caller);
  return verdict instanceof Promise ? verdict.then(enforce, refuse) : enforce(verdict);
}

async function respond(
  operation: CallableOperation,
  headers: readonly string[],
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
) {
  const given = {
    params: asRecord(request.params),
    query: asRecord(request.query),
    headers: readHeaders(headers, request),
    body: request.body,
  };
  const result = await executeOperation(operation, given, new RestContext(request, reply, services));
  if (result.headers) reply.headers(result.headers);
  // Otherwise caches would serve one representation to a client that requested the other (RFC 9110, section 12.5.5).
  if ('asText' in operation) reply.header('vary', 'Accept');
  reply.code(result.status ?? operation.status);
  // The handlers of these operations return iterable bodies, as their type says.
  if (operation.response === 'stream') {
    return await sendStream(request, reply, result.body as AsyncIterable<string | Uint8Array>);
  }
  if ('asText' in operation && typeof result.body === 'string') {
    return reply.header('content-type', 'text/plain; charset=utf-8').send(result.body);
  }
  if (reply.statusCode === 204) return reply.send();
  const contentType = 'contentType' in operation ? operation.contentType : 'application/json; charset=utf-8';
  reply.header('content-type', contentType);
  if (operation.response !== 'json') return reply.send(result.body);
  const ready = readyJsonOf(result.body);
  if (ready !== undefined) return reply.send(ready);
  // A dry run shows the whole message: serializing a hundred of them takes a second.
  if (isLargeJson(result.body)) {
    request.state.heldBytes = countCharacters(result.body);
    return await sendStream(request, reply, slicedPieces(result.body));
  }
  return reply.send(JSON.stringify(result.body));
}

async function* slicedPieces(body: unknown): AsyncGenerator<string> {
  for (const piece of jsonPieces(body)) {
    await nextSlice();
    yield piece;
  }
}

/**
 * Only the headers that an operation declares are part of its input. Node reads header bytes as Latin-1; names and texts
 * in them are UTF-8.
 */
function readHeaders(names: readonly string[], request: FastifyRequest): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const name of names) {
    const value = request.headers[name];
    if (typeof value === 'string') read[name] = decodeHeader(name, value);
  }
  return read;
}

function decodeHeader(name: string, value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw validationFailed([{ path: name, code: 'invalid_unicode', message: 'must be UTF-8' }]);
}

function asRecord(value: unknown): Record<string, unknown> {
  // Fastify parses parameters and queries into objects.
  return (value ?? {}) as Record<string, unknown>;
}
