import { renderAgentGuide } from '@postrider/mcp';
import type { FastifyInstance } from 'fastify';
import { refuseOtherMethods } from './method-not-allowed.ts';

/** `/llms.txt` (llmstxt.org): the guide for agents, at the place where they look for one. */
export function addAgentGuide(app: FastifyInstance, baseUrl: string): void {
  // Built on first use, so that a server starts faster without it.
  let guide: string | null = null;
  app.get('/llms.txt', (_request, reply) => {
    guide ??= renderAgentGuide({ baseUrl });
    return reply
      .header('content-type', 'text/markdown; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .header('x-content-type-options', 'nosniff')
      .send(guide);
  });
  refuseOtherMethods(app, '/llms.txt', ['GET']);
}
