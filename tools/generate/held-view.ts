import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { BRAND_MARK } from '../../packages/server/src/ui/icons.ts';
import { type Product, TYPESCRIPT_NOTICE } from './product.ts';

const SOURCES = 'packages/mcp/app';
const CONSOLE_CSS = 'packages/server/src/ui/console.css';
export const HELD_VIEW_FOLDER = 'packages/mcp/src/apps/generated';

/** The view of a held send that clients show in a frame: one HTML file with its script and style, so that it needs no request. */
export async function renderHeldView(root: string): Promise<Product> {
  const [script, style] = [await bundle(root), await renderStyle(root)];
  const html = renderHtml(script, style);
  const hash = createHash('sha256').update(html).digest('hex').slice(0, 12);
  const content = `${TYPESCRIPT_NOTICE.replace('packages/core', SOURCES)}

/** The beginning of the SHA-256 of the page. */
export const HELD_VIEW_HASH = '${hash}';

export const HELD_VIEW_HTML = ${JSON.stringify(html)};
`;
  return { path: `${HELD_VIEW_FOLDER}/held-view-html.ts`, content };
}

/**
 * The page's own policy, because a host's may allow more: it allows exactly this script and this style, no requests, and no markup from
 * strings (Trusted Types).
 */
function renderHtml(script: string, style: string): string {
  const policy = [
    "default-src 'none'",
    "connect-src 'none'",
    `script-src '${sourceHash(script)}'`,
    `style-src '${sourceHash(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Held email – Postrider</title>
<style>${style}</style>
</head>
<body>
<main><div id="view"></div><p id="news" class="unseen" role="status"></p></main>
<template id="mark">${BRAND_MARK.markup.replace('<svg', '<svg class="mark"')}</template>
<script type="module">${script}</script>
</body>
</html>
`;
}

function sourceHash(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}

async function bundle(root: string): Promise<string> {
  const build = await rolldown({
    input: path.join(root, SOURCES, 'main.ts'),
    cwd: root,
    platform: 'browser',
    onLog: (_level, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await build.generate({ format: 'esm', minify: { compress: true, mangle: true, codegen: true } });
  await build.close();
  const [script, ...others] = output;
  if (others.length > 0) throw new Error('The script of the view must be one file.');
  if (/<\/script|<!--/i.test(script.code)) throw new Error('The script of the view must not end its element.');
  return script.code.trim();
}

/** The colors of the console, for the system's scheme and for the one that a host names, and the rules of the view. */
async function renderStyle(root: string): Promise<string> {
  const [consoleCss, own] = await Promise.all(
    [CONSOLE_CSS, `${SOURCES}/view.css`].map((file) => readFile(path.join(root, file), 'utf8')),
  );
  const light = /^:root \{([^}]*)\}/m.exec(consoleCss ?? '')?.[1];
  const dark = /@media \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/.exec(consoleCss ?? '')?.[1];
  if (light === undefined || dark === undefined) throw new Error(`${CONSOLE_CSS} has no colors where they were.`);
  return compact(`:root {${light}}
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) {${dark}} }
:root[data-theme="dark"] {${dark} color-scheme: dark; }
:root[data-theme="light"] { color-scheme: light; }
${own}`);
}

function compact(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;\}/g, '}')
    .trim();
}
