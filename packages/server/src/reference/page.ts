import { ERRORS, MESSAGE_EVENT_TYPES, MESSAGE_STATUSES } from '@postrider/core';
import { escapeHtml } from '../html/page-markup.ts';
import { VERSION } from '../version.ts';

/** Renders the reference page as HTML: the API viewer, the error catalog with an anchor for every code, statuses and events. */
export function renderReferencePage(baseUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postrider API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/reference/swagger-ui.css">
<link rel="stylesheet" href="/reference/style.css">
</head>
<body>
<header>
<h1>Postrider <small>${VERSION}</small></h1>
<nav><a href="#operations">Operations</a> <a href="#errors">Errors</a> <a href="#statuses">Statuses</a> <a href="#events">Events</a> <a href="/openapi.json">openapi.json</a> <a href="/openapi.yaml">openapi.yaml</a></nav>
</header>
<main>
<section id="operations"><div id="swagger-ui"></div><noscript><p>The viewer needs JavaScript; the same document is at <a href="/openapi.yaml">${escapeHtml(baseUrl)}/openapi.yaml</a>.</p></noscript></section>
<section id="errors">
<h2>Errors</h2>
<p>Every error has one body, <code>application/problem+json</code> (RFC 9457): <code>code</code> is stable, <code>detail</code> says what is wrong, <code>fix</code> what to do next, <code>retryable</code> whether the same request can succeed later. <code>type</code> points here.</p>
${errorEntries()}
</section>
<section id="statuses"><h2>Message statuses</h2>${definitionList(MESSAGE_STATUSES)}</section>
<section id="events"><h2>Events of a message</h2>${definitionList(MESSAGE_EVENT_TYPES)}</section>
</main>
<script src="/reference/swagger-ui-bundle.js"></script>
<script src="/reference/init.js"></script>
</body>
</html>
`;
}

function errorEntries(): string {
  return Object.entries(ERRORS)
    .map(
      ([code, { status, title, description, fix, retryable }]) =>
        `<article id="error-${code}"><h3><code>${code}</code> <small>${status}${retryable ? ', retryable' : ''}</small></h3><p>${escapeHtml(title)}. ${escapeHtml(description)}</p><p><b>Fix:</b> ${escapeHtml(fix)}</p></article>`,
    )
    .join('\n');
}

function definitionList(entries: Readonly<Record<string, string>>): string {
  const rows = Object.entries(entries).map(
    ([name, text]) => `<dt><code>${name}</code></dt><dd>${escapeHtml(text)}</dd>`,
  );
  return `<dl>${rows.join('')}</dl>`;
}

/** Starts the viewer on the server's own document. No validator on another host is used. */
export const INIT_SCRIPT = `window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: false,
  validatorUrl: null,
  displayOperationId: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  persistAuthorization: false,
});
`;

export const STYLE = `:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #1c2430; font: 16px/1.5 system-ui, sans-serif; }
header { padding: 1rem 1.5rem; background: #14324a; color: #fff; }
header h1 { margin: 0 0 .25rem; font-size: 1.4rem; }
header nav a { color: #cfe6f7; margin-right: 1rem; }
main { max-width: 72rem; margin: 0 auto; padding: 0 1.5rem 4rem; }
#errors article { border-top: 1px solid #dde3ea; padding: .5rem 0; }
#errors article:target { background: #fff6d6; outline: .5rem solid #fff6d6; }
h3 { margin: .5rem 0; } h3 small { color: #5a6675; font-weight: normal; }
article p { margin: .25rem 0; }
dt { margin-top: .5rem; } code { font-size: .95em; background: #f0f3f6; padding: .1em .3em; border-radius: 3px; }
`;
