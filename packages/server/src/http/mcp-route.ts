import { Readable } from 'node:stream';
import {
  bodyLimitOf,
  findOperation,
  type PlacedInput,
  PROGRAM_SCOPES,
  type Scope,
  scopesOfProgram,
} from '@postrider/core';
import {
  createDuplicateQueue,
  createMcpHttpHandler,
  type InvokeResult,
  missingScopesOf,
  withWaitInWords,
} from '@postrider/mcp';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { classifyDatabaseError } from '../db/database-errors.ts';
import type { Caller } from '../keys/caller.ts';
import type { KeyRates } from '../keys/key-rates.ts';
import { mcpChallenge } from '../oauth-server/mcp-challenge.ts';
import { mcpPathOf } from '../oauth-server/oauth-paths.ts';
import type { Services } from '../operations/context.ts';
import { ProblemError, problemHeaders, toProblem } from '../problem.ts';
import type { AnonymousRateLimit } from './anonymous-rate-limit.ts';
import { assertArgumentSize } from './argument-size.ts';
import { callerFactsOf } from './assert-reach.ts';
import type { RequestAuthentication } from './authenticate-request.ts';
import { refreshCaller } from './check-caller.ts';
import { executeOperation, parseQuery } from './execute-operation.ts';
import { createMcpSessionRoutes, headersWithoutKey, UNTRUSTED_ORIGIN } from './mcp-session-routes.ts';
import { createMcpSessions, type McpSessionParts } from './mcp-sessions.ts';
import { rateLimited } from './rate-headers.ts';
import { disconnectSignal } from './rest-context.ts';
import { isTrustedOrigin } from './trusted-origin.ts';
import { watchResourcesOf } from './watch-resources.ts';

export interface McpRouteOptions extends RequestAuthentication {
  readonly services: Services;
  readonly logger: Logger;
  readonly anonymousRates: AnonymousRateLimit;
  readonly rates: KeyRates;
  readonly sessions: McpSessionParts;
}

/** `POST /mcp`: the MCP server of the calling key. Its tools run in this process. */
export function createMcpRoute(options: McpRouteOptions) {
  const { services, logger, anonymousRates, rates } = options;
  const { baseUrl, version } = services.installation;
  const handler = createMcpHttpHandler({
    version,
    baseUrl,
    maxRequestBodyBytes: bodyLimitOf(findOperation('service.mcp')),
    onError: (error) => logger.debug({ error: String(error) }, 'mcp request refused'),
  });

  const duplicates = createDuplicateQueue();

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    if (!isTrustedOrigin(request, baseUrl)) return reply.code(403).send(UNTRUSTED_ORIGIN);
    // A model only sees what a tool returns, and nothing of a response that HTTP rejects.
    const { refused } = request.state;
    if (refused !== null && !callsTool(request.body)) throw refused;
    const { caller } = request.state;
    const grantable = caller === null ? [] : grantableScopes(caller);
    const lacked = caller === null ? [] : lackedScopes(request.body, caller, grantable);
    if (lacked.length > 0) throw insufficientScope(lacked, caller?.scopes ?? [], baseUrl, mcpPathOf(request.url));
    const { toolsets = [], readonly: readOnly } = parseQuery(findOperation('service.mcp'), request.query);
    const context = {
      services,
      requestId: request.id,
      via: 'mcp' as const,
      address: request.ip,
      prefersText: false,
      caller,
      clientInfo: null,
      signal: disconnectSignal(reply),
      rawBody: request.body,
      readConfirmed: async () => null,
      noteEmail: (id: string) => {
        request.state.emailId = id;
      },
    };
    // One body may contain many calls. The first was counted with its request, and each additional one counts as another request.
    let isCounted = true;
    const enforceKeyRate = async () => {
      if (refused !== null) throw refused;
      const verdict = isCounted || context.caller === null ? null : await rates.take(context.caller);
      isCounted = false;
      if (verdict?.ok === false) throw rateLimited(verdict);
    };
    const invoke = async (
      operationId: Parameters<typeof findOperation>[0],
      input: PlacedInput,
      { signal }: { readonly signal?: AbortSignal },
    ): Promise<InvokeResult> => {
      const operation = findOperation(operationId);
      if (operation.response === 'raw') throw new Error(`${operationId} cannot be called as a tool`);
      try {
        // A call may have to wait for earlier ones in the same body, some of which take a minute.
        if (refused === null) await refreshCaller(findOperation('service.mcp'), request, options);
        await enforceKeyRate();
        await anonymousRates.assertRate(operation, request.ip);
        assertArgumentSize(operation, input.body);
        const { caller: fresh } = request.state;
        const call = { ...context, caller: fresh, signal: signal ?? context.signal, rawBody: input.body };
        const result = await executeOperation(operation, input, call);
        return {
          ok: true,
          status: result.status ?? operation.status,
          body: result.body,
          headers: result.headers ?? {},
        };
      } catch (error) {
        const refusal = toRefusal(error);
        request.state.code = refusal.code;
        const seconds = Number(problemHeaders(refusal)['retry-after'] ?? Number.NaN);
        const problem = toProblem(refusal, baseUrl, request.id);
        return { ok: false, problem: withWaitInWords(problem, Number.isNaN(seconds) ? null : seconds) };
      }
    };
    const web = new Request(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: headersWithoutKey(request),
      // The parsed value is passed on: serializing it again would take a third of the time of a call.
      ...(request.body == null ? { body: 'null' } : {}),
      signal: context.signal,
    });
    const { scopes = [], keyId = '' } = request.state.caller ?? {};
    const watching =
      context.caller === null
        ? {}
        : {
            watch: watchResourcesOf(context.caller, services),
            sessions: createMcpSessions(context.caller, services, options.sessions),
          };
    const requestId = request.id;
    const kind = request.state.caller === null ? {} : { facts: callerFactsOf(request.state.caller) };
    const mcpCaller = {
      ...{ invoke: duplicates(invoke, keyId), scopes, caller: keyId, toolsets, readOnly, requestId },
      ...watching,
      ...kind,
      grantable,
    };
    const response = await handler.fetch(web, mcpCaller, request.body);
    reply.code(response.status);
    for (const [name, value] of response.headers) reply.header(name, value);
    if (response.body === null) return reply.send();
    return reply.send(isJson(response) ? Buffer.from(await response.arrayBuffer()) : eagerly(response.body));
  }

  return {
    handle,
    ...createMcpSessionRoutes(handler, options),
    endListening: async () => {
      options.sessions.watcher.close();
      await handler.endListening();
    },
    close: () => handler.close(),
  };
}

/** The scopes that the user of a program that signed in can grant it; none for a key with a secret. */
function grantableScopes({ shown, row }: Caller): readonly Scope[] {
  return shown?.kind === 'token' ? scopesOfProgram(PROGRAM_SCOPES, row.grantorRole) : [];
}

/** A program that signed in asks its user for these scopes when the response names them (RFC 6750, section 3.1). */
function lackedScopes(body: unknown, caller: Caller, grantable: readonly Scope[]): readonly Scope[] {
  return missingScopesOf(body, caller.scopes, callerFactsOf(caller)).filter((scope) => grantable.includes(scope));
}

function insufficientScope(
  lacked: readonly Scope[],
  scopes: readonly Scope[],
  baseUrl: string,
  path: string,
): ProblemError {
  const detail = `The user has not granted ${lacked.map((scope) => `\`${scope}\``).join(' and ')}.`;
  const challenge = { error: 'insufficient_scope', description: detail, scopes: [...scopes, ...lacked] } as const;
  return new ProblemError('missing_scope', {
    detail,
    fix: 'Let your client ask the user for it: it signs in again with the scopes in `WWW-Authenticate`.',
    headers: { 'www-authenticate': mcpChallenge(baseUrl, path, challenge) },
  });
}

/** Such a response is complete: as one buffer it is cheaper to send, and counted while the client does not read it. */
function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('application/json') ?? false;
}

/** The library writes events whether or not the client reads them. What waits in this stream is counted, but not what waits in theirs. */
function eagerly(body: ReadableStream<Uint8Array>): Readable {
  const reader = body.getReader();
  const stream = new Readable({
    read: () => undefined,
    destroy: (error, done) => {
      reader.cancel().then(
        () => done(error),
        () => done(error),
      );
    },
  });
  const pump = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      stream.push(done ? null : value);
      if (done) return;
    }
  };
  pump().catch((error: Error) => stream.destroy(error));
  return stream;
}

/** Whether a JSON-RPC body, one message or several, calls a tool. */
function callsTool(body: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.some(
    (message) =>
      typeof message === 'object' && message !== null && 'method' in message && message.method === 'tools/call',
  );
}

/** An unavailable database is reported as over REST: the call may be retried. Any other unexpected error is an internal error. */
function toRefusal(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (classifyDatabaseError(error) !== 'unavailable') throw error;
  return new ProblemError('unavailable', { detail: 'The database does not respond at the moment.' });
}
