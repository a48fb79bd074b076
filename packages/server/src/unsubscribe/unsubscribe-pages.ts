import { hash } from 'node:crypto';
import { type Html, html } from '../html/page-markup.ts';

interface Recipient {
  readonly email: string;
  /** The sender of the message that contained the link. */
  readonly from: string;
}

/** Asks whether to unsubscribe. Only the button does it, because mail scanners follow links. */
export function renderUnsubscribePage({ email, from }: Recipient): string {
  return page(
    'Unsubscribe',
    html`<p>Stop sending email from <b>${from}</b> to <b>${email}</b>?</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button type="submit">Unsubscribe</button></form>`,
  );
}

export function renderUnsubscribedPage({ email, from }: Recipient): string {
  return page(
    'You are unsubscribed',
    html`<p role="status"><b>${email}</b> will no longer receive email from <b>${from}</b>.</p><p>You can close this page.</p>`,
  );
}

export function renderUnknownLinkPage(): string {
  return page(
    'This link does not work',
    html`<p>The link is incomplete, or its message is no longer stored here.</p>
<p>Open the link in the message again. If that does not help, reply to the sender.</p>`,
  );
}

export function renderTryAgainPage(): string {
  return page(
    'Please try again',
    html`<p>We could not process your request, and nothing was changed. Try again in a minute.</p>`,
  );
}

function page(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><link rel="icon" href="data:,"><style>${{ markup: STYLE }}</style></head>
<body><main><h1>${title}</h1>${content}</main></body></html>
`.markup;
}

/** Inlined, so that the page needs no second request. The colors have a contrast of at least 7:1 on both backgrounds. */
const STYLE = `:root { color-scheme: light dark; --ground: #f6f8fa; --sheet: #fff; --ink: #1c2430; --line: #d5dce4; --button: #14507a; }
@media (prefers-color-scheme: dark) { :root { --ground: #10161d; --sheet: #19222c; --ink: #e6ecf2; --line: #2f3b48; --button: #14507a; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem; background: var(--ground); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif; }
main { max-width: 32rem; margin: 8vh auto 0; padding: 1.5rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.3; }
p { margin: 0 0 1rem; } p:last-child { margin: 0; }
button { width: 100%; min-height: 3rem; padding: .5rem 1.5rem; border: 0; border-radius: 8px; background: var(--button); color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
button:focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }`;

/** No scripts, no loaded resources, no framing, and the form only posts to its own origin. */
export const UNSUBSCRIBE_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
