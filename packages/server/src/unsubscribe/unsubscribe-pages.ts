import { hash } from 'node:crypto';
import { type Html, html } from '../html/page-markup.ts';

interface Recipient {
  readonly email: string;
  /** The sender of the message the link came in. */
  readonly from: string;
}

/** Asks whether to unsubscribe; only the button does it, because mail scanners follow links. */
export function renderUnsubscribePage({ email, from }: Recipient): string {
  return page(
    'Unsubscribe',
    html`<p>Do you want no more email from <b>${from}</b> at <b>${email}</b>?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button type="submit">Unsubscribe</button></form>`,
  );
}

export function renderUnsubscribedPage({ email, from }: Recipient): string {
  return page(
    'You are unsubscribed',
    html`<p role="status"><b>${email}</b> gets no more email from <b>${from}</b>.</p><p>You can close this page.</p>`,
  );
}

export function renderUnknownLinkPage(): string {
  return page(
    'This link does not work',
    html`<p>It is incomplete, or the message it came in is no longer known here.</p>
<p>Open the link in the message once more. If that does not help, answer the sender.</p>`,
  );
}

export function renderTryAgainPage(): string {
  return page(
    'Please try again',
    html`<p>This could not be done at the moment, and nothing was changed. Try again in a minute.</p>`,
  );
}

function page(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><link rel="icon" href="data:,"><style>${{ markup: STYLE }}</style></head>
<body><main><h1>${title}</h1>${content}</main></body></html>
`.markup;
}

/** In the page itself, so that it needs no second request; colours have a contrast of 7:1 and more on either ground. */
const STYLE = `:root { color-scheme: light dark; --ground: #f6f8fa; --sheet: #fff; --ink: #1c2430; --line: #d5dce4; --button: #14507a; }
@media (prefers-color-scheme: dark) { :root { --ground: #10161d; --sheet: #19222c; --ink: #e6ecf2; --line: #2f3b48; --button: #14507a; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem; background: var(--ground); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif; }
main { max-width: 32rem; margin: 8vh auto 0; padding: 1.5rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.3; }
p { margin: 0 0 1rem; } p:last-child { margin: 0; }
button { width: 100%; min-height: 3rem; padding: .5rem 1.5rem; border: 0; border-radius: 8px; background: var(--button); color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
button:focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }`;

/** Nothing runs, nothing is loaded, nothing frames the page, and its form goes back to where it came from. */
export const UNSUBSCRIBE_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
