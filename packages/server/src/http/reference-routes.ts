import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { INIT_SCRIPT, renderReferencePage, STYLE } from '../reference/page.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';
import { addWithAndWithoutPrefix } from './version-prefix.ts';

const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The viewer's files, from its package: the page loads nothing from other servers. */
const VIEWER_FILES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
};
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** The reference page: every operation with a form to try it, and the error catalog that the `type` of every problem links to. */
export function addReferenceRoutes(app: FastifyInstance, baseUrl: string): void {
  const page = renderReferencePage(baseUrl);
  addWithAndWithoutPrefix(app, (context) => {
    context.get('/reference', (_request, reply) => sendText(reply, 'text/html; charset=utf-8', page));
    refuseOtherMethods(context, '/reference', ['GET']);
  });
  app.get('/reference/init.js', (_request, reply) => sendText(reply, 'text/javascript; charset=utf-8', INIT_SCRIPT));
  app.get('/reference/style.css', (_request, reply) => sendText(reply, 'text/css; charset=utf-8', STYLE));
  for (const [name, contentType] of Object.entries(VIEWER_FILES)) {
    app.get(`/reference/${name}`, (_request, reply) =>
      reply
        .header('content-type', contentType)
        .header('cache-control', 'public, max-age=86400')
        .send(createReadStream(join(viewer, name))),
    );
  }
}

function sendText(reply: FastifyReply, contentType: string, text: string): FastifyReply {
  return reply
    .header('content-type', contentType)
    .header('cache-control', 'public, max-age=300')
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('referrer-policy', 'no-referrer')
    .send(text);
}
