import { LIMITS } from '@postrider/core';
import { type Html, html } from '../../html/page-markup.ts';
import { button, linkButton } from '../../ui/components/button.ts';
import { textField } from '../../ui/components/field.ts';
import { notice } from '../../ui/components/surfaces.ts';
import { renderSinglePage } from '../../ui/single-page.ts';

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
  /** Whether mail is captured and shown by this server. */
  readonly isDevelopment: boolean;
  readonly isSignedOut?: boolean;
  /** What was typed, and what is wrong with it. */
  readonly email?: string | null;
  readonly fault?: string;
}

/** The page on which users sign in. */
export function renderSignInPage(page: SignInPage): string {
  const { providers, next, passkeyHost, isDevelopment, isSignedOut = false, email = null, fault = null } = page;
  const onward = next === null ? '' : `?next=${encodeURIComponent(next)}`;
  const offers = providers.map(({ name, label }) =>
    linkButton(`Sign in with ${label}`, `/auth/oauth/${name}${onward}`),
  );
  const passkey = passkeyHost === null ? null : offerPasskey(passkeyHost, next);
  const address = textField({
    ...{ name: 'email', label: 'Your email address', type: 'email', autocomplete: 'email', isRequired: true },
    ...{ maxLength: LIMITS.addressCharacters, value: email, fault },
  });
  return renderSinglePage(
    'Sign in',
    html`${isSignedOut ? notice('good', 'You are signed out.') : null}${fault === null ? null : notice('bad', 'No link was sent.')}
<form method="post" action="/auth/sign-in">${address}${hiddenNext(next)}${button('Email me a link', { kind: 'primary' })}</form>
${passkey}${offers.length === 0 ? null : html`<div class="stack-tight">${offers}</div>`}${isDevelopment ? capturedMail('the mail with the link') : null}`,
    passkeyHost === null ? {} : { hasScript: true, script: 'passkey.js' },
  );
}

export function renderLinkMailedPage(email: string, isDevelopment: boolean): string {
  return renderSinglePage(
    'Check your email',
    html`<p role="status">If <b>${email}</b> may sign in here, a link was sent to it.</p>
<p>Open it in this browser within ${LIMITS.magicLinkMinutes} minutes. It works once.</p>
${isDevelopment ? capturedMail('the mail') : null}<p class="small"><a href="/auth/sign-in">Use another address</a></p>`,
  );
}

/** Only the button signs in, because mail scanners follow links. */
export function renderMagicLinkPage(): string {
  return renderSinglePage(
    'Sign in',
    html`<p>Press the button to sign in here.</p><form method="post">${button('Sign in', { kind: 'primary' })}</form>`,
  );
}

export function renderDeadLinkPage(): string {
  return renderSinglePage(
    'This link does not work',
    html`<p>It was used already, it is older than ${LIMITS.magicLinkMinutes} minutes, or it was requested in another browser.</p>
<p>Request a new one, and open it in the same browser.</p>${linkButton('Request a new link', '/auth/sign-in', { kind: 'primary' })}`,
  );
}

/** For the link that the start of a development server prints. */
export function renderDeadConsoleLinkPage(): string {
  return renderSinglePage(
    'This link does not work',
    html`<p>It works once, within a day, and on the server that printed it.</p>
<p>Start the server again for a new link, or sign in.</p>${linkButton('Sign in', '/auth/sign-in', { kind: 'primary' })}`,
  );
}

/** For an unknown user who may not sign in. */
export function renderNoAccessPage(reason: string): string {
  return renderSinglePage(
    'You do not have access',
    html`<p>${reason}</p>${linkButton('Sign in another way', '/auth/sign-in')}`,
  );
}

export function renderTryAgainPage(title: string, reason: string): string {
  return renderSinglePage(title, html`<p>${reason}</p>${linkButton('Sign in', '/auth/sign-in', { kind: 'primary' })}`);
}

/** The script shows the button where the browser can use it. */
function offerPasskey(host: string, next: string | null): Html {
  return html`<div id="passkey-sign-in" class="stack-tight" data-host="${host}" data-next="${next ?? '/console'}" hidden><button type="button">Sign in with a passkey</button>
<p class="notice bad fault" role="alert" hidden></p></div>`;
}

export function capturedMail(what: string): Html {
  return html`<p class="small soft">This is a development server: ${what} is in the <a href="/console/mailbox">captured mail</a>.</p>`;
}

function hiddenNext(next: string | null): Html {
  return next === null ? html`` : html`<input type="hidden" name="next" value="${next}">`;
}
