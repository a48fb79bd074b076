import { LIMITS } from '@postrider/core';
import { html } from '../../html/page-markup.ts';
import { linkButton } from '../../ui/components/button.ts';
import { renderSinglePage, type SignedIn } from '../../ui/single-page.ts';
import type { RelyingParty } from '../passkeys/relying-party.ts';
import { renderAddForm } from './passkey-pages.ts';
import { capturedMail } from './sign-in-pages.ts';

/** After the link for a first passkey was mailed. */
export function renderFirstPasskeyMailedPage(signedIn: SignedIn, email: string, isDevelopment: boolean): string {
  return renderSinglePage(
    'Check your email',
    html`<p role="status">A link was sent to <b>${email}</b>.</p>
<p>Open it in this browser within ${LIMITS.magicLinkMinutes} minutes, and add your passkey on its page. It works once.</p>
<p class="small soft">If your mail app opens it in another browser, copy the link and paste it into the address bar of this one.</p>
${isDevelopment ? capturedMail('the mail') : null}<p class="small"><a href="/auth/passkeys">Back to your passkeys</a></p>`,
    { signedIn },
  );
}

/** The page of the link. Opening it changes nothing, because mail scanners follow links. */
export function renderFirstPasskeyPage(signedIn: SignedIn, party: RelyingParty, url: string, link: string): string {
  return renderSinglePage(
    'Add your first passkey',
    html`<p class="soft">It will sign you in, and approve emails, with the fingerprint, face or PIN of a device, a password manager or a security key.</p>
${renderAddForm(party, url, { confirms: false, link })}`,
    { signedIn, hasScript: true, script: 'passkey.js' },
  );
}

export function renderDeadFirstPasskeyPage(signedIn: SignedIn | null): string {
  return renderSinglePage(
    'This link does not work here',
    html`<p>It works only in the browser where you requested it, while you are signed in there.</p>
<p><b>Did your mail app open this page?</b> Copy the link from the email, and paste it into the address bar of that browser.</p>
<p>Otherwise it was used already, or it is older than ${LIMITS.magicLinkMinutes} minutes. Request a new one on the page of your passkeys.</p>
${linkButton('Your passkeys', '/auth/passkeys', { kind: 'primary' })}`,
    { signedIn },
  );
}

export function renderTooManyLinksPage(signedIn: SignedIn, words: string): string {
  return renderSinglePage(
    'No link was sent',
    html`<p>${words}</p><p class="small"><a href="/auth/passkeys">Back to your passkeys</a></p>`,
    { signedIn },
  );
}
