import type { FastifyInstance } from 'fastify';
import { FAVICON_ICO } from './generated/page-icon.ts';

const ICON = Buffer.from(FAVICON_ICO, 'base64');

/** Browsers request this for documents that name no icon, such as a JSON response. It must not fill the request log with 404s. */
export function addFavicon(app: FastifyInstance): void {
  app.get('/favicon.ico', (_request, reply) =>
    reply.header('content-type', 'image/x-icon').header('cache-control', 'public, max-age=86400').send(ICON),
  );
}
