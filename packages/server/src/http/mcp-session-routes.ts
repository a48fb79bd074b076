import type { McpHttpHandler } from '@postrider/mcp';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../operations/context.ts';
import { EVENT_STREAM_HEADERS } from '../server-sent-events.ts';
import { createMcpSessions, type McpSessionParts } from './mcp-sessions.ts';
import { disconnectSignal } from './rest-context.ts';
import { sendStream } from './send-stream.ts';
import { isTrustedOrigin } from './trusted-origin.ts';

export interface McpSessionRouteOptions {
  readonly services: Services;
  readonly sessions: McpSessionParts;
}

/** `GET /mcp` and `DELETE /mcp`: the event stream and the end of a session. The key was checked before, and its rate limit counted. */
export function createMcpSessionRoutes(
  handler: Pick<McpHttpHandler, 'openStream' | 'endSession'>,
  { services, sessions }: McpSessionRouteOptions,
) {
  const { baseUrl } = services.installation;

  /** Null if the request is refused, and the response has been sent. */
  async function toWeb(request: FastifyRequest, reply: FastifyReply) {
    const { refused, caller } = request.state;
    if (!isTrustedOrigin(request, baseUrl)) {
      await reply.code(403).send(UNTRUSTED_ORIGIN);
      return null;
    }
    if (refused !== null) throw refused;
    const web = new Request(`${baseUrl}/mcp`, {
      method: request.method,
      headers: headersWithoutKey(request),
      signal: disconnectSignal(reply),
    });
    return { web, own: caller === null ? {} : { sessions: createMcpSessions(caller, services, sessions) } };
  }

  async function stream(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const given = await toWeb(request, reply);
    if (given === null) return reply;
    const events = await handler.openStream(given.web, given.own);
    if (events instanceof Response) return await sendResponse(events, reply);
    // The client reads at its own pace: events that wait for it are at most one for each thing that it watches.
    return await sendStream(request, reply.headers(EVENT_STREAM_HEADERS), events);
  }

  async function end(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const given = await toWeb(request, reply);
    return given === null ? reply : await sendResponse(await handler.endSession(given.web, given.own), reply);
  }

  return { stream, end };
}

export const UNTRUSTED_ORIGIN = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_000, message: 'Requests with this Origin or Host header are not allowed here.' },
};

export function headersWithoutKey({ headers }: FastifyRequest): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && name !== 'authorization' ? [[name, value]] : [],
  );
}

async function sendResponse(response: Response, reply: FastifyReply): Promise<unknown> {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  return response.body === null ? reply.send() : reply.send(Buffer.from(await response.arrayBuffer()));
}
