import { LIMITS } from '@postrider/core';
import type { PasskeyRow } from '../../db/queries/passkeys.ts';
import { type Html, html } from '../../html/page-markup.ts';
import { button } from '../../ui/components/button.ts';
import { textField } from '../../ui/components/field.ts';
import { time } from '../../ui/components/time.ts';
import { renderSinglePage, type SignedIn } from '../../ui/single-page.ts';
import type { PasskeyGuard } from '../passkeys/guard-passkeys.ts';
import type { RelyingParty } from '../passkeys/relying-party.ts';

export interface PasskeysPage {
  readonly passkeys: readonly PasskeyRow[];
  /** Null if passkeys do not work at this server's base URL. */
  readonly party: RelyingParty | null;
  /** Where the page is, if it was opened under another name. */
  readonly url: string;
  readonly guard: PasskeyGuard;
}

/** The user's passkeys, and a form to add one. Without scripts, the page is the list alone. */
export function renderPasskeysPage(signedIn: SignedIn, { passkeys, party, url, guard }: PasskeysPage): string {
  return renderSinglePage(
    'Your passkeys',
    html`<p class="soft">A passkey signs you in without email: with the fingerprint, face or PIN of a device, a password manager or a security key. It opens all your accounts on this server.</p>
${passkeys.length === 0 ? html`<p>You have none.</p>` : html`<ul class="plain">${passkeys.map((passkey) => renderPasskey(passkey, guard))}</ul><p class="small soft">Removing one ends the sessions that were started with it.</p>`}
${guard.toRemove === 'passkey' ? html`<p class="small soft">Your passkeys approve emails, so removing one must be confirmed with a passkey.</p>` : null}${renderOffer(passkeys.length, party, url, guard)}
<p class="small"><a href="/console/settings">Back to the settings</a></p>`,
    { signedIn, hasScript: true, script: 'passkey.js' },
  );
}

function renderPasskey({ id, name, backedUp, createdAt, lastUsedAt }: PasskeyRow, { toRemove }: PasskeyGuard): Html {
  const used = lastUsedAt === null ? html`not used yet` : html`last used ${day(lastUsedAt)}`;
  return html`<li class="row"><span><b>${name}</b><br><span class="small faint">Added ${day(createdAt)}, ${used}${backedUp ? ', synchronized to other devices' : ''}</span></span>
<div class="end"><p class="notice bad fault" role="alert" hidden></p><button class="small" type="button" data-passkey="${id}"${toRemove === 'passkey' ? html` data-confirms` : null} aria-label="Remove the passkey ${name}" hidden>Remove</button></div></li>`;
}

function renderOffer(count: number, party: RelyingParty | null, url: string, { toAdd }: PasskeyGuard): Html {
  if (party === null) {
    return html`<p>Passkeys need a server with a host name. This server’s base URL has an IP address.</p>`;
  }
  if (count >= LIMITS.passkeysPerUser) {
    return html`<p>You have ${LIMITS.passkeysPerUser}, the most that is allowed. Remove one to add another.</p>`;
  }
  if (toAdd === 'fresh_session') {
    return html`<p>Your first passkey can be added only in the first ${LIMITS.firstPasskeyMinutes} minutes after you have signed in, so that no one else can add one in an open session. Sign out, sign in again, and come back to this page.</p>`;
  }
  if (toAdd === 'mailed_link') return renderMailOffer(party, url);
  return renderAddForm(party, url, { confirms: toAdd === 'passkey', link: null });
}

/** The script shows the button where the browser can use the link. */
function renderMailOffer({ id }: RelyingParty, url: string): Html {
  return html`<p>Your passkey will approve emails, so your first one must be confirmed with a link that is emailed to you. Open the link in this browser. So no one else can add a passkey in your session.</p>
${unable(url)}<div id="passkey-mail" data-host="${id}" hidden><form method="post" action="/auth/passkeys/first">${button('Email me a link', { kind: 'primary' })}</form></div>`;
}

/** @param link the token of the mailed link that the page was opened with */
export function renderAddForm(
  party: RelyingParty,
  url: string,
  { confirms, link }: { readonly confirms: boolean; readonly link: string | null },
): Html {
  const name = textField({
    ...{ name: 'name', label: 'A name for the new passkey', isRequired: true, placeholder: 'Work laptop' },
    maxLength: LIMITS.passkeyNameCharacters,
  });
  return html`${unable(url)}
<div id="passkey-add" class="stack-tight" data-host="${party.id}"${confirms ? html` data-confirms` : null}${link === null ? null : html` data-link="${link}"`} hidden>${confirms ? html`<p class="small soft">You will be asked for a passkey that you have, and then for the new one.</p>` : null}<form>${name}${button('Add a passkey', { kind: 'primary' })}</form><p class="notice bad fault" role="alert" hidden></p></div>`;
}

function unable(url: string): Html {
  return html`<p id="passkey-unable">Adding one needs JavaScript and a browser with passkeys, at <a href="${url}">${url}</a>.</p>`;
}

function day(at: Date): Html {
  return time(at.toISOString(), 'day');
}
