import { LIMITS } from '@postrider/core';
import { renderUserPage, type SignedIn } from '../../console/user-page.ts';
import type { PasskeyRow } from '../../db/queries/passkeys.ts';
import { type Html, html } from '../../html/page-markup.ts';
import { PAGE_ASSETS } from '../../ui/page-assets.ts';
import type { RelyingParty } from '../passkeys/relying-party.ts';

export interface PasskeysPage {
  readonly passkeys: readonly PasskeyRow[];
  /** Null if passkeys do not work at this server's base URL. */
  readonly party: RelyingParty | null;
  /** Where the page is, if it was opened under another name. */
  readonly url: string;
}

/** The user's passkeys, and a form to add one. Without scripts, the page is the list alone. */
export function renderPasskeysPage(signedIn: SignedIn, { passkeys, party, url }: PasskeysPage): string {
  return renderUserPage(
    'Your passkeys',
    html`<p>A passkey signs you in without email: with the fingerprint, face or PIN of a device, a password manager or a security key. It opens all your accounts on this server.</p>
${passkeys.length === 0 ? html`<p>You have none.</p>` : html`<ul class="files">${passkeys.map(renderPasskey)}</ul>`}
${renderOffer(passkeys.length, party, url)}`,
    { signedIn, script: PAGE_ASSETS.url('passkey.js') },
  );
}

function renderPasskey({ id, name, backedUp, createdAt, lastUsedAt }: PasskeyRow): Html {
  const used = lastUsedAt === null ? 'not used yet' : `last used ${toDay(lastUsedAt)}`;
  return html`<li><b>${name}</b><small>Added ${toDay(createdAt)}, ${used}${backedUp ? ', synchronized to other devices' : ''}</small>
<div><p class="fault" role="alert" hidden></p><button class="quiet" type="button" data-passkey="${id}" aria-label="Remove the passkey ${name}" hidden>Remove</button></div></li>`;
}

function renderOffer(count: number, party: RelyingParty | null, url: string): Html {
  if (party === null) {
    return html`<p>Passkeys need a server with a host name. This server’s base URL has an IP address.</p>`;
  }
  if (count >= LIMITS.passkeysPerUser) {
    return html`<p>You have ${LIMITS.passkeysPerUser}, the most that is allowed. Remove one to add another.</p>`;
  }
  return html`<p id="passkey-unable">Adding one needs JavaScript and a browser with passkeys, at <a href="${url}">${url}</a>.</p>
<div id="passkey-add" data-host="${party.id}" hidden><form><label for="name">A name for the new passkey</label>
<input id="name" name="name" required maxlength="${LIMITS.passkeyNameCharacters}" autocomplete="off" placeholder="Work laptop">
<button type="submit">Add a passkey</button></form><p class="fault" role="alert" hidden></p></div>`;
}

function toDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}
