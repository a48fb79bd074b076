import { findOperation, LIMITS, type PlacedInput } from '@postrider/core';
import { createMcpHttpHandler, type InvokeResult } from '@postrider/mcp';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { classifyDatabaseError } from '../db/database-errors.ts';
import type { Services } from '../operations/context.ts';
import { ProblemError, toProblem } from '../problem.ts';
import { assertQuery, executeOperation } from './execute-operation.ts';
import { contextOf } from './router.ts';
import { isTrustedOrigin } from './trusted-origin.ts';

export interface McpRouteOptions {
  readonly services: Services;
  readonly logger: Logger;
}

/** `POST /mcp`: the MCP server of the calling key, its tools run in this process. */
export function createMcpRoute({ services, logger }: McpRouteOptions) {
  const handler = createMcpHttpHandler({
    version: services.version,
    maxRequestBodyBytes: LIMITS.requestBodyBytes,
    onError: (error) => logger.debug({ error: String(error) }, 'mcp request refused'),
  });

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    if (!isTrustedOrigin(request, services.baseUrl)) {
      const error = { code: -32_000, message: 'Requests of this Origin or Host are not answered here.' };
      return reply.code(403).send({ jsonrpc: '2.0', id: null, error });
    }
    assertQuery(findOperation('service.mcp'), request.query);
    const context = { ...contextOf(request, reply, services), via: 'mcp' as const };
    const invoke = async (
      operationId: Parameters<typeof findOperation>[0],
      input: PlacedInput,
      { signal }: { readonly signal?: AbortSignal },
    ): Promise<InvokeResult> => {
      const operation = findOperation(operationId);
      if (operation.response === 'raw') throw new Error(`${operationId} cannot be called as a tool`);
      try {
        const call = { ...context, signal: signal ?? context.signal, rawBody: input.body };
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
        return { ok: false, problem: toProblem(refusal, services.baseUrl, request.id) };
      }
    };
    const web = new Request(`${services.baseUrl}/mcp`, {
      method: 'POST',
      headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' && name !== 'authorization' ? [[name, value]] : [],
      ),
      body: JSON.stringify(request.body ?? null),
      signal: context.signal,
    });
    const { scopes = [], keyId: caller = '' } = request.state.caller ?? {};
    const response = await handler.fetch(web, { invoke, scopes, caller }, request.body);
    reply.code(response.status);
    for (const [name, value] of response.headers) reply.header(name, value);
    return response.body === null ? reply.send() : reply.send(response.body);
  }

  return { handle, close: () => handler.close() };
}

/** A database that is away is told as over REST: the call may be repeated. Whatever else nobody foresaw is a fault of ours. */
function toRefusal(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (classifyDatabaseError(error) !== 'unavailable') throw error;
  return new ProblemError('unavailable', { detail: 'The database does not answer at the moment.' });
}
