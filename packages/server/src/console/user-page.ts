import { hash } from 'node:crypto';
import { type Html, html } from '../html/page-markup.ts';

/** The signed-in user, for the page header. */
export interface SignedIn {
  readonly email: string;
  readonly role: string;
  readonly accountName: string;
}

export interface UserPageOptions {
  readonly signedIn?: SignedIn | null;
  /** For a page that shows a document rather than a form. */
  readonly isWide?: boolean;
  /** The path of a script of this server. The page has to work without it, and needs the policy SCRIPTED_PAGE_POLICY. */
  readonly script?: string;
}

/** A page for users: a header that names the signed-in user, and one content area. It works without scripts, and needs no second request. */
export function renderUserPage(
  title: string,
  content: Html,
  { signedIn = null, isWide = false, script }: UserPageOptions = {},
): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title} – Postrider</title><link rel="icon" href="data:,"><style>${{ markup: STYLE }}</style>${script === undefined ? html`` : html`<script type="module" src="${script}"></script>`}</head>
<body><header><a href="/auth/sign-in">Postrider</a>${signedIn === null ? html`` : renderAccountBar(signedIn)}</header>
<main${{ markup: isWide ? ' class="wide"' : '' }}><h1>${title}</h1>${content}</main></body></html>
`.markup;
}

function renderAccountBar({ email, role, accountName }: SignedIn): Html {
  return html`<form method="post" action="/auth/sign-out"><span><b>${email}</b>, ${role} of ${accountName}</span>
<button class="quiet" type="submit">Sign out</button></form>`;
}

/** Inlined, so that the page needs no second request. The colors have a contrast of at least 7:1 on both backgrounds. */
const STYLE = `:root { color-scheme: light dark; --ground: #f6f8fa; --sheet: #fff; --ink: #1c2430; --line: #d5dce4; --button: #14507a; --link: #0b4a78; --soft: #46525f; --caution: #fff4d6; --caution-edge: #b97900; }
@media (prefers-color-scheme: dark) { :root { --ground: #10161d; --sheet: #19222c; --ink: #e6ecf2; --line: #2f3b48; --button: #14507a; --link: #a9d5f5; --soft: #b9c4cf; --caution: #3a2f12; --caution-edge: #e0a93a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; justify-content: space-between; align-items: center; padding: .75rem 1.5rem; background: #14324a; color: #fff; }
header a { color: #fff; font-weight: 600; text-decoration: none; } header form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; font-size: .9375rem; overflow-wrap: anywhere; }
main { max-width: 34rem; margin: 6vh auto 2rem; padding: 1.5rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.3; } p { margin: 0 0 1rem; } p:last-child { margin: 0; } a { color: var(--link); }
label { display: block; margin: 0 0 .25rem; font-weight: 600; } main form { margin: 0 0 1rem; }
input { width: 100%; min-height: 3rem; margin: 0 0 1rem; padding: .5rem .75rem; border: 1px solid #6b7787; border-radius: 8px; background: var(--sheet); color: var(--ink); font: inherit; }
main button, a.button { display: block; width: 100%; min-height: 3rem; margin: 0 0 .75rem; padding: .5rem 1.5rem; border: 0; border-radius: 8px; background: var(--button); color: #fff; font: inherit; font-weight: 600; line-height: 2rem; text-align: center; text-decoration: none; cursor: pointer; }
button.quiet { min-height: 2.25rem; padding: .25rem .75rem; border: 1px solid currentColor; border-radius: 8px; background: none; color: inherit; font: inherit; cursor: pointer; } main button.quiet { display: block; width: 100%; min-height: 3rem; }
.code { font: 1.75rem/1.4 ui-monospace, monospace; letter-spacing: .1em; } .address { font-family: ui-monospace, monospace; font-size: .9375em; } input.typed { font: 1.5rem/1.4 ui-monospace, monospace; letter-spacing: .1em; text-transform: uppercase; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.0625rem; line-height: 1.4; } ul { margin: 0 0 1rem; padding-left: 1.25rem; } li { margin: 0 0 .25rem; } small { display: block; font-size: .875rem; line-height: 1.45; color: var(--soft); } small.other { color: var(--ink); font-weight: 600; } .note { font-size: .9375rem; color: var(--soft); }
.facts { margin: 0 0 1.25rem; border-top: 1px solid var(--line); } .facts div { display: grid; grid-template-columns: 5.5rem 1fr; align-items: baseline; gap: .25rem 1rem; padding: .625rem 0; border-bottom: 1px solid var(--line); } dt { color: var(--soft); font-size: .9375rem; } dd { margin: 0; } .facts .code { font-size: 1.375rem; }
.caution, .fault { padding: .75rem 1rem; border-left: 4px solid var(--caution-edge); border-radius: 0 8px 8px 0; background: var(--caution); }
.choice { display: flex; gap: .875rem; align-items: flex-start; margin: 0 0 1.25rem; padding: .875rem 1rem; border: 1px solid var(--line); border-radius: 8px; cursor: pointer; } .choice input { flex: none; width: 1.375rem; min-height: 1.375rem; height: 1.375rem; margin: .125rem 0 0; accent-color: var(--link); } .choice small { margin-top: .25rem; font-weight: 400; }
main.wide { max-width: 48rem; margin-top: 3vh; } .wide h2 { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.125rem; } .wide .facts { margin-top: 1.5rem; } .line { display: block; } .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
details { margin: 0 0 1rem; } summary { margin: 0 0 .5rem; font-weight: 600; cursor: pointer; min-height: 2rem; } pre { margin: 0; padding: .875rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); font: .9375rem/1.55 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 32rem; overflow-y: auto; } iframe { display: block; width: 100%; height: 30rem; border: 1px solid var(--line); border-radius: 8px; background: #fff; color-scheme: light; }
.files { padding: 0; list-style: none; } .files li { display: flex; flex-wrap: wrap; gap: .125rem .75rem; align-items: baseline; padding: .625rem 0; border-bottom: 1px solid var(--line); } .files a { margin-left: auto; min-height: 1.75rem; } .files small { flex-basis: 100%; } .caution p { margin: 0 0 .25rem; } .caution { margin: 0 0 1rem; }
select { width: 100%; min-height: 3rem; margin: 0 0 1rem; padding: .5rem .75rem; border: 1px solid #6b7787; border-radius: 8px; background: var(--sheet); color: var(--ink); font: inherit; } .decision { margin: 0; }
@media (max-width: 30rem) { main { margin: 0; padding: 1rem; border: 0; border-radius: 0; } header { padding: .75rem 1rem; } .facts div { grid-template-columns: 1fr; gap: 0; } iframe { height: 24rem; } }
:focus-visible { outline: 3px solid var(--link); outline-offset: 3px; } header :focus-visible { outline-color: #fff; }`;

/** No scripts, no loaded resources, no framing, and forms only post to this server. */
export const USER_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** Also allows scripts of this server, and their requests to it; no inline script, so text of users in the page cannot become one. */
export const SCRIPTED_PAGE_POLICY = `${USER_PAGE_POLICY}; script-src 'self'; connect-src 'self'`;
