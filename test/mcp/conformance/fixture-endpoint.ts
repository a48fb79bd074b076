import { Readable } from 'node:stream';
import { createMcpHttpHandler } from '@postrider/mcp';
import Fastify, { type FastifyReply } from 'fastify';
import { isTrustedOrigin } from '../../../packages/server/src/http/trusted-origin.ts';
import { createFixtureServer } from './fixture-catalog.ts';
import { createMemorySessions } from './memory-sessions.ts';

export interface FixtureEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** Our transport with the suite's own catalog behind it: the same handler and the same check of Origin and Host as `POST /mcp`, without keys. */
export async function startFixtureEndpoint(): Promise<FixtureEndpoint> {
  const handler = createMcpHttpHandler({
    version: '1.0.0',
    maxRequestBodyBytes: 1_000_000,
    createServer: () => createFixtureServer(),
  });
  const app = Fastify();
  const watch = async () => ({ start: () => {}, close: () => {} });
  const caller = {
    ...{ invoke: async () => await Promise.reject(new Error('no API here')), scopes: null, caller: 'suite' },
    ...{ watch, sessions: createMemorySessions() },
  };
  let baseUrl = '';
  app.route({
    method: ['POST', 'GET', 'DELETE'],
    url: '/mcp',
    handler: async (request, reply) => {
      if (!isTrustedOrigin(request, baseUrl)) return reply.code(403).send({ jsonrpc: '2.0', id: null });
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const { method } = request;
      const headers = Object.entries(request.headers).filter(
        (pair): pair is [string, string] => typeof pair[1] === 'string',
      );
      const body = method === 'POST' ? { body: JSON.stringify(request.body) } : {};
      const web = new Request(`${baseUrl}/mcp`, { method, headers, ...body, signal: gone.signal });
      if (method === 'GET') {
        const events = await handler.openStream(web, caller);
        if (events instanceof Response) return await pass(events, reply);
        return reply.header('content-type', 'text/event-stream').send(Readable.from(events));
      }
      return await pass(
        method === 'DELETE' ? await handler.endSession(web, caller) : await handler.fetch(web, caller, request.body),
        reply,
      );
    },
  });
  baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `${baseUrl}/mcp`,
    close: async () => {
      await handler.close();
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

function pass(response: Response, reply: FastifyReply): FastifyReply {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  return response.body === null ? reply.send() : reply.send(response.body);
}
