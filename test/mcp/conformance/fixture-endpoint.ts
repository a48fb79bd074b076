import { createMcpHttpHandler } from '@postrider/mcp';
import Fastify from 'fastify';
import { isTrustedOrigin } from '../../../packages/server/src/http/trusted-origin.ts';
import { createFixtureServer } from './fixture-catalog.ts';

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
  let baseUrl = '';
  app.post('/mcp', async (request, reply) => {
    if (!isTrustedOrigin(request, baseUrl)) return reply.code(403).send({ jsonrpc: '2.0', id: null });
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const web = new Request(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: Object.entries(request.headers).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
      body: JSON.stringify(request.body),
      signal: gone.signal,
    });
    const caller = {
      invoke: async () => await Promise.reject(new Error('no API here')),
      scopes: null,
      caller: 'suite',
    };
    const watch = async () => ({ start: () => {}, close: () => {} });
    const response = await handler.fetch(web, { ...caller, watch }, request.body);
    reply.code(response.status);
    for (const [name, value] of response.headers) reply.header(name, value);
    return response.body === null ? reply.send() : reply.send(response.body);
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
