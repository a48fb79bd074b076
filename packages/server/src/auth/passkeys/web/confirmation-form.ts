import { type Html, html } from '../../../html/page-markup.ts';
import { button } from '../../../ui/components/button.ts';
import { notice } from '../../../ui/components/surfaces.ts';
import type { AuthServices } from '../../auth-services.ts';
import type { Confirmation } from '../confirmation.ts';
import { confirmationSchema } from '../credential-schemas.ts';
import { challengeConfirmation } from '../make-challenge.ts';
import { type RelyingParty, relyingPartyOf } from '../relying-party.ts';
import type { Statement } from '../statement.ts';

/** The fields with which a form carries a confirmation. */
const ASSERTION = 'passkeyAssertion';
const SEALED = 'passkeySealed';

/** What the script of a page asks for, to confirm without another page. */
export const ASKS_FOR_CHALLENGE = 'passkeyAsk';

interface FormFields {
  get(name: string): string | null;
  has(name: string): boolean;
}

/** The confirmation that a form carries; null without one. What cannot be read proves nothing, as does a wrong signature. */
export function readConfirmationForm(form: FormFields): Confirmation | null {
  const [assertion, sealed] = [form.get(ASSERTION), form.get(SEALED)];
  if (assertion === null || assertion === '' || sealed === null) return null;
  try {
    const parsed = confirmationSchema.safeParse(JSON.parse(assertion));
    return parsed.success ? { assertion: parsed.data, sealed } : UNREADABLE;
  } catch {
    return UNREADABLE;
  }
}

/** Fails every check, so that a form with it is refused and not taken for one without a passkey. */
const UNREADABLE: Confirmation = {
  assertion: {
    ...{ id: 'none', rawId: 'none', type: 'public-key' },
    response: { clientDataJSON: 'none', authenticatorData: 'none', signature: 'none' },
  },
  sealed: '',
};

/** A challenge for a page: what the browser passes to the authenticator. */
export interface PageChallenge {
  readonly options: unknown;
  readonly sealed: string;
}

/** Null if the user has no passkey, or this server can have none. */
export async function challengeForPage(
  auth: AuthServices,
  baseUrl: string,
  userId: string,
  statement: Statement,
): Promise<PageChallenge | null> {
  const party = relyingPartyOf(baseUrl);
  return party === null ? null : await challengeConfirmation({ auth, party }, userId, statement);
}

export interface ConfirmationForm {
  /** What is confirmed, in words. */
  readonly detail: string;
  /** A page that leads here, under the name that passkeys are bound to. */
  readonly page: string;
  /** Where the form is sent, and its fields. */
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Null if the user has no passkey. */
  readonly challenge: PageChallenge | null;
  readonly baseUrl: string;
  /** What the button does. */
  readonly label: string;
}

/** A form that is sent again with the signature of a passkey. The script asks the authenticator for it. */
export function confirmationForm(given: ConfirmationForm): Html {
  const { detail, page, action, fields, challenge, baseUrl, label } = given;
  const party = relyingPartyOf(baseUrl);
  if (party === null) return noParty();
  if (challenge === null) {
    return notice(
      'warn',
      'You have no passkey yet',
      html`${detail} <a href="/auth/passkeys">Add a passkey</a> in this browser, then come back and do it again.`,
    );
  }
  const sent = fields.filter(([name]) => name !== ASSERTION && name !== SEALED && name !== ASKS_FOR_CHALLENGE);
  return html`<p>${detail}</p>
<p data-passkey-unable>A passkey needs JavaScript and a browser with passkeys, at <a href="${addressOf(party, page)}">${addressOf(party, page)}</a>. Nothing was changed.</p>
<form class="stack-tight" method="post" action="${action}" data-passkey-options="${JSON.stringify(challenge.options)}" data-host="${party.id}" hidden>${sent.map(([name, value]) => kept(name, value))}${kept(SEALED, challenge.sealed)}<input type="hidden" name="${ASSERTION}" value="">
<p class="notice bad fault" role="alert" hidden></p><div>${button(label, { kind: 'primary' })}</div></form>`;
}

function noParty(): Html {
  return notice(
    'warn',
    'Passkeys do not work here',
    'Passkeys need a server with a host name, and this server’s base URL has an IP address. Ask its operator.',
  );
}

function addressOf({ origins }: RelyingParty, page: string): string {
  return `${origins[0] ?? ''}${page}`;
}

/** A text area keeps line breaks, which a hidden input does not. */
function kept(name: string, value: string): Html {
  return value.includes('\n')
    ? html`<textarea name="${name}" hidden aria-label="${name}">
${value}</textarea>`
    : html`<input type="hidden" name="${name}" value="${value}">`;
}
