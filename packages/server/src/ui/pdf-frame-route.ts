import type { FastifyInstance } from 'fastify';
import { escapeHtml } from '../html/page-markup.ts';
import type { Assets } from './asset-routes.ts';

/**
 * `GET /assets/pdf/frame`: the page in which a PDF is read (console/client/pdf-frame.js). The file is not trusted, nor is the library that
 * reads it. So this page has an opaque origin, and may load nothing but the scripts of this server (docs/decisions/0034).
 */
export function addPdfFrame(app: FastifyInstance, assets: Assets, baseUrl: string): void {
  const policy = policyOf(new URL(baseUrl).origin);
  app.get('/assets/pdf/frame', (_request, reply) =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('cross-origin-resource-policy', 'same-origin')
      .header('referrer-policy', 'no-referrer')
      .header('x-dns-prefetch-control', 'off')
      .header('x-robots-tag', 'noindex')
      .send(frameOf(assets)),
  );
}

/** Browsers differ in what `'self'` means in a sandbox, so it is written out too. Fonts and images come from the file itself. */
function policyOf(origin: string): string {
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'self' ${origin}/assets/ 'wasm-unsafe-eval'`,
    'worker-src blob:',
    `style-src 'self' ${origin}/assets/`,
    'img-src data: blob:',
    'font-src data: blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

function frameOf(assets: Assets): string {
  const url = (name: string) => escapeHtml(assets.url(name));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>PDF</title>
<link rel="stylesheet" href="${url('pdf-frame.css')}">
</head>
<body>
<main></main>
<script type="module" src="${url('pdf-frame.js')}"></script>
</body>
</html>
`;
}
