import { LIMITS, type Role } from '@postrider/core';
import { type Html, html } from '../../html/page-markup.ts';
import { button } from '../../ui/components/button.ts';
import { facts } from '../../ui/components/facts.ts';
import { notice } from '../../ui/components/surfaces.ts';
import { time } from '../../ui/components/time.ts';
import { renderSinglePage, type SignedIn } from '../../ui/single-page.ts';
import { ROLE_WORDS } from './role-words.ts';

/** Asks for the code. The user has to type it: no link or other site can fill it in. */
export function renderDevicePage(signedIn: SignedIn, fault?: string): string {
  return renderSinglePage(
    'Sign in a device',
    html`${fault === undefined ? null : notice('bad', fault)}
<form method="post" action="/auth/device/code"><label for="user_code">Type the code that your device shows</label>
<input id="user_code" class="typed" type="text" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="40" aria-describedby="caution">
${button('Continue', { kind: 'primary' })}</form>
<p id="caution" class="small soft">Type a code only if you started this sign-in yourself, just now. If someone sent you a code or a link to this page, close it: they may be trying to use your account.</p>`,
    { signedIn },
  );
}

/** Which program asks to sign in, what it may do, and for how long. */
export interface DeviceQuestion {
  readonly userCode: string;
  readonly client: string;
  /** The device's IP address. */
  readonly address: string;
  /** This browser's IP address. */
  readonly ownAddress: string;
  readonly startedAt: Date;
  readonly endsAt: Date;
  readonly now: Date;
  readonly role: Role;
  readonly accountId: string;
  readonly otherAccounts: readonly string[];
  /** Whether the user's role decides held sends, so that the device can be allowed to. */
  readonly mayDecide: boolean;
}

/**
 * Asks whether the device may act for the user. The first button reloads the page, because pressing Enter in the checkbox submits the first
 * one. It cannot be a disabled button, because Chromium skips those there.
 */
export function renderConsentPage(signedIn: SignedIn, question: DeviceQuestion): string {
  const { userCode, client, address, ownAddress, role, accountId, otherAccounts } = question;
  return renderSinglePage(
    'Allow this sign-in?',
    html`<p>A program asks to act as you in <b>${signedIn.accountName}</b>. Check that it is yours:</p>
${facts([
  ['Code', html`<span class="shown-code">${userCode}</span>`],
  ['Program', html`${client} <span class="line small faint">The program reports this name itself.</span>`],
  ['Address', html`<span class="mono">${address}</span> ${compare(address, ownAddress)}`],
  ['Started', sinceWhen(question)],
])}
${notice('warn', 'If you did not just start this on your own machine, someone may be trying to use your account.', 'Press Reject.')}
<h2>What it will be able to do, as ${role}</h2>
<ul class="bullets">${[...ROLE_WORDS[role], ...elsewhere(otherAccounts)].map((words) => html`<li>${words}</li>`)}</ul>
<p class="small soft">Until ${time(question.endsAt.toISOString())} at the latest. It ends sooner after ${LIMITS.sessionIdleDays} days without use.</p>
<form method="post" action="/auth/device/decision"><button type="submit" name="decision" value="look" hidden>Look again</button>
<input type="hidden" name="user_code" value="${userCode}"><input type="hidden" name="account" value="${accountId}">
${question.mayDecide ? offerApprovals() : null}
${button('Allow', { kind: 'primary', name: 'decision', value: 'confirm' })}
${button('Reject', { name: 'decision', value: 'deny' })}</form>`,
    { signedIn, hasScript: true },
  );
}

export type DeviceOutcome = 'allowed' | 'allowed with approvals' | 'refused';

const DONE: Readonly<Record<DeviceOutcome, readonly [title: string, text: string]>> = {
  allowed: [
    'The device is signed in',
    'You can close this page and continue there. It cannot approve or reject held sends.',
  ],
  'allowed with approvals': [
    'The device is signed in',
    'You can close this page and continue there. It can approve and reject held sends.',
  ],
  refused: ['The sign-in is rejected', 'The code no longer works. You can close this page.'],
};

export function renderDeviceDonePage(signedIn: SignedIn, outcome: DeviceOutcome): string {
  const [title, text] = DONE[outcome];
  return renderSinglePage(title, html`<p role="status">${text}</p>`, { signedIn });
}

/** Never checked by default, so that a user who only wants to send does not grant approvals by pressing the button. */
function offerApprovals(): Html {
  return html`<label class="choice" for="approvals"><input id="approvals" type="checkbox" name="approvals" value="yes" autocomplete="off" aria-describedby="approvals-more">
<span><strong>Approve and reject held sends</strong><small id="approvals-more">Leave this off, unless you decide about held email on that device. An agent that uses this sign-in could approve its own email.</small></span></label>`;
}

function compare(address: string, own: string): Html {
  return address === own
    ? html`<span class="line small faint">The address of this browser too.</span>`
    : html`<span class="line small strong">Not the address of this browser, which is <span class="mono">${own}</span>.</span>`;
}

function sinceWhen({ startedAt, now }: DeviceQuestion): Html {
  const minutes = Math.max(0, Math.floor((now.getTime() - startedAt.getTime()) / 60_000));
  const ago = minutes === 0 ? 'just now' : minutes === 1 ? '1 minute ago' : `${minutes} minutes ago`;
  return html`${ago}, at ${time(startedAt.toISOString())}`;
}

const NAMED_ACCOUNTS = 5;

function elsewhere(accounts: readonly string[]): readonly string[] {
  if (accounts.length === 0) return [];
  const more = accounts.length - NAMED_ACCOUNTS;
  const names = [...accounts.slice(0, NAMED_ACCOUNTS), ...(more > 0 ? [`${more} more`] : [])];
  return [`Move to your other accounts and act there in your role: ${names.join(', ')}`];
}
