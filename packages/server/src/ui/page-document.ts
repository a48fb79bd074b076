import { type Html, html } from '../html/page-markup.ts';
import { PAGE_ASSETS } from './page-assets.ts';

export interface DocumentParts {
  readonly title: string;
  readonly body: Html;
  /** False for pages that work the same without scripts. */
  readonly hasScript?: boolean;
  /** The script, if it is another one than the console's. */
  readonly script?: string;
  /** False for pages for recipients of mail, who do not know this server. */
  readonly isBranded?: boolean;
}

/** A complete page. Nothing is inline: the policy allows styles and scripts of this server only. */
export function renderDocument({
  title,
  body,
  hasScript = true,
  script = 'console.js',
  isBranded = true,
}: DocumentParts): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">${isBranded ? DESCRIPTION : null}<meta name="robots" content="noindex">
<title>${title}${isBranded ? ' – Postrider' : ''}</title>${isBranded ? html`<link rel="icon" type="image/svg+xml" href="${PAGE_ASSETS.url('icon.svg')}">` : html`<link rel="icon" href="data:,">`}<link rel="stylesheet" href="${PAGE_ASSETS.url('console.css')}">
${hasScript ? html`<script type="module" src="${PAGE_ASSETS.url(script)}"></script>` : null}</head>
<body>${body}</body></html>
`.markup;
}

const DESCRIPTION = html`<meta name="description" content="Postrider sends email for agents and applications, and shows people what is sent.">`;

/** Styles and images of this server, forms that post to it, and nothing else. */
export const SCRIPTLESS_PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Scripts and styles of this server, frames of this server, and nothing else. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
