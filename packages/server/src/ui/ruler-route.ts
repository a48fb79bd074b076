import type { FastifyInstance } from 'fastify';

/**
 * `GET /assets/ruler/frame`: an empty page, in which the script of the console lays out a message to learn its height (client/fit-frames.ts). The
 * frame that shows the message has an opaque origin and cannot be measured. This one can, so nothing may run or load in it: its sandbox allows
 * no scripts, and its policy allows no source of any.
 */
export function addRuler(app: FastifyInstance): void {
  app.get('/assets/ruler/frame', (_request, reply) =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('cross-origin-resource-policy', 'same-origin')
      .header('referrer-policy', 'no-referrer')
      .header('x-dns-prefetch-control', 'off')
      .header('x-robots-tag', 'noindex')
      .send('<!doctype html><html lang="en"><head><title>Ruler</title></head><body></body></html>\n'),
  );
}

const POLICY =
  "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
