import { attributes, type Html, html } from '../html/page-markup.ts';
import { BRAND_MARK } from './icons.ts';
import { renderDocument } from './page-document.ts';

/** The signed-in user, for the page header. */
export interface SignedIn {
  readonly email: string;
  readonly role: string;
  readonly accountName: string;
}

export interface SinglePageOptions {
  readonly signedIn?: SignedIn | null;
  /** For a page that shows a document rather than a form. */
  readonly isWide?: boolean;
  /** Whether the page loads the console's script; none of these pages needs it. */
  readonly hasScript?: boolean;
  /** A script other than the console's; it needs `hasScript`. */
  readonly script?: string;
}

/** A page outside the console's navigation: sign-in, links in mail. A header that names the signed-in user, and one content area. */
export function renderSinglePage(
  title: string,
  content: Html,
  { signedIn = null, isWide = false, hasScript = false, script }: SinglePageOptions = {},
): string {
  const home = signedIn === null ? '/auth/sign-in' : '/console';
  const body = html`<div class="single"><header><a class="brand" href="${home}">${BRAND_MARK}<span>Postrider</span></a>${signedIn === null ? null : accountBar(signedIn)}</header>
<main${attributes({ class: isWide ? 'wide' : 'sheet' })}><h1>${title}</h1>${content}</main></div>
<div class="toasts" id="toasts" role="status" aria-live="polite"></div>`;
  return renderDocument({ title, body, hasScript, ...(script === undefined ? {} : { script }) });
}

function accountBar({ email, role, accountName }: SignedIn): Html {
  return html`<form method="post" action="/auth/sign-out"><span><b>${email}</b>, ${role} of ${accountName}</span>
<button class="small" type="submit">Sign out</button></form>`;
}
