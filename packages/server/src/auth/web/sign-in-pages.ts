import { LIMITS } from '@postrider/core';
import { renderUserPage, type SignedIn } from '../../console/user-page.ts';
import { type Html, html } from '../../html/page-markup.ts';
import { PAGE_ASSETS } from '../../ui/page-assets.ts';

/** A provider that the page offers. */
export interface OfferedProvider {
  readonly name: string;
  readonly label: string;
}

export interface SignInPage {
  readonly providers: readonly OfferedProvider[];
  readonly next: string | null;
  /** The host name at which passkeys work; null if there is none. */
  readonly passkeyHost: string | null;
  /** What is wrong with the input. */
  readonly fault?: string;
}

/** The page on which users sign in. */
export function renderSignInPage({ providers, next, passkeyHost, fault }: SignInPage): string {
  const onward = next === null ? '' : `?next=${encodeURIComponent(next)}`;
  const offers = providers.map(
    ({ name, label }) => html`<a class="button" href="/auth/oauth/${name}${onward}">Sign in with ${label}</a>`,
  );
  return renderUserPage(
    'Sign in',
    html`${fault === undefined ? html`` : html`<p role="alert">${fault}</p>`}
<form method="post" action="/auth/sign-in"><label for="email">Your email address</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="${LIMITS.addressCharacters}">${hiddenNext(next)}
<button type="submit">Email me a link</button></form>${passkeyHost === null ? html`` : offerPasskey(passkeyHost, next)}${offers}`,
    passkeyHost === null ? {} : { script: PAGE_ASSETS.url('passkey.js') },
  );
}

export function renderSignedInPage(signedIn: SignedIn, next: string | null): string {
  const onward = next === null ? html`` : html`<p><a class="button" href="${next}">Continue</a></p>`;
  return renderUserPage(
    'You are signed in',
    html`<p role="status">As <b>${signedIn.email}</b>, ${signedIn.role} of <b>${signedIn.accountName}</b>.</p>${onward}
<p><a href="/auth/passkeys">Your passkeys</a></p>`,
    { signedIn },
  );
}

export function renderLinkMailedPage(email: string): string {
  return renderUserPage(
    'Check your email',
    html`<p role="status">If <b>${email}</b> may sign in here, a link was sent to it.</p>
<p>Open it in this browser within ${LIMITS.magicLinkMinutes} minutes. It works once.</p>`,
  );
}

/** Only the button signs in, because mail scanners follow links. */
export function renderMagicLinkPage(): string {
  return renderUserPage(
    'Sign in',
    html`<p>Press the button to sign in here.</p><form method="post"><button type="submit">Sign in</button></form>`,
  );
}

export function renderDeadLinkPage(): string {
  return renderUserPage(
    'This link does not work',
    html`<p>It was used already, it is older than ${LIMITS.magicLinkMinutes} minutes, or it was requested in another browser.</p>
<p><a href="/auth/sign-in">Request a new one</a>, and open it in the same browser.</p>`,
  );
}

/** For an unknown user who may not sign in. */
export function renderNoAccessPage(reason: string): string {
  return renderUserPage(
    'You do not have access',
    html`<p>${reason}</p><p><a href="/auth/sign-in">Sign in another way</a></p>`,
  );
}

export function renderSignedOutPage(): string {
  return renderUserPage(
    'You are signed out',
    html`<p role="status">This browser’s session has ended.</p><p><a href="/auth/sign-in">Sign in</a></p>`,
  );
}

export function renderTryAgainPage(title: string, reason: string): string {
  return renderUserPage(title, html`<p>${reason}</p><p><a href="/auth/sign-in">Sign in</a></p>`);
}

/** The script shows the button where the browser can use it. */
function offerPasskey(host: string, next: string | null): Html {
  return html`<div id="passkey-sign-in" data-host="${host}" data-next="${next ?? '/auth/sign-in'}" hidden><button type="button">Sign in with a passkey</button>
<p class="fault" role="alert" hidden></p></div>`;
}

function hiddenNext(next: string | null): Html {
  return next === null ? html`` : html`<input type="hidden" name="next" value="${next}">`;
}
