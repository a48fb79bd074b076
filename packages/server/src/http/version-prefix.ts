import type { FastifyInstance } from 'fastify';

/** Every path is served unprefixed and under `/v1`: the routes are registered twice, each time in a separate context. */
export function addWithAndWithoutPrefix(app: FastifyInstance, addRoutes: (context: FastifyInstance) => void): void {
  for (const prefix of ['', '/v1']) app.register(async (context) => addRoutes(context), { prefix });
}
