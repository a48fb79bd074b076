import { describeProgramScope, type FieldProblem, type Scope } from '@postrider/core';
import { findHostLookAlike } from '@postrider/review';
import type { PageForm } from '../../console/web/page-form.ts';
import { policyCard } from '../../console/web/pages/key-form.ts';
import { type Html, html } from '../../html/page-markup.ts';
import { button } from '../../ui/components/button.ts';
import { facts } from '../../ui/components/facts.ts';
import { checkbox, faultOf, radio, select, textArea, textField } from '../../ui/components/field.ts';
import { foreignText } from '../../ui/components/foreign-text.ts';
import { notice } from '../../ui/components/surfaces.ts';
import { time } from '../../ui/components/time.ts';
import { renderSinglePage, type SignedIn } from '../../ui/single-page.ts';
import type { AccessRequest, ReturnPlace } from '../access-request.ts';
import {
  ACCESS_DAYS,
  continuedGrant,
  DEFAULT_DAILY_SENDS,
  DEFAULT_DAYS,
  furtherScopes,
  policyOfChoices,
} from './consent-choices.ts';

export interface ConsentPage {
  readonly signedIn: SignedIn;
  readonly caller: { readonly user: { readonly memberId: string } };
  readonly request: AccessRequest;
  /** The choices; the defaults when the page is shown first. */
  readonly form: PageForm;
  /** The address of the page, to which the form is sent. */
  readonly path: string;
  readonly now: Date;
  readonly problems?: readonly FieldProblem[];
  /** Shows the choices in words. */
  readonly isPreview?: boolean;
  /** Why the access was not granted. */
  readonly refusal?: string;
}

/**
 * Asks whether a program may act for the user, and in which limits. Without a choice, every message waits for approval. The policy in words
 * is that of the choices as shown; without scripts, a button shows it again after a change.
 */
export function renderConsentPage(page: ConsentPage): string {
  const { signedIn, request, form, path, problems = [], refusal, isPreview = false } = page;
  const fault = (name: string) => faultOf(problems, name);
  const further = problems.filter(({ path: at }) => !SHOWN_FAULTS.some((name) => at.startsWith(name)));
  const sends = request.scopes.includes('emails:send');
  return renderSinglePage(
    'Allow this program?',
    html`${refusal === undefined ? null : notice('bad', 'The access was not granted', refusal)}
${further.length === 0 ? null : notice('bad', 'Check your choices', further.map(({ message }) => message).join(' '))}
<p><b>${foreignText(request.clientName)}</b> asks to use Postrider for you in <b>${signedIn.accountName}</b>.</p>
${identityOf(request)}${request.scopes.length === 0 ? notice('bad', 'You cannot allow this', `The program asks only for what your role, ${signedIn.role}, does not include. Deny it, or ask an owner or admin for another role.`) : warningOf(request)}
<form method="post" action="${path}" class="stack consent">
<input type="hidden" name="member" value="${page.caller.user.memberId}">${formerFields(page)}
<div class="stack consent limits">${sends ? html`${recipientFields(page, fault('recipientAllowlist'))}${holdFields(page, fault('holdWhen'))}${amountField(form, fault('sendLimit'))}` : nothingToSend(page)}${endField(form)}</div>
${readingField(page)}${furtherFields(page)}
<details class="more"${isPreview ? html` open` : null}><summary>What this allows, in words</summary><div class="stack">${policyCard(policyOfChoices(form, request, page.now))}
${button('Update after a change', { isSmall: true, name: 'decision', value: 'preview', isUnchecked: true })}</div></details>
<div class="actions">${request.scopes.length === 0 ? null : button('Allow', { kind: 'primary', name: 'decision', value: 'allow' })}
${button('Deny', { name: 'decision', value: 'deny', isUnchecked: true })}</div></form>
<p class="small soft">You can pause or revoke this access at any time, under <a href="/console/programs">Programs you allowed</a>. It never exceeds your role, and ends if you leave the team.</p>`,
    { signedIn, hasScript: true },
  );
}

const SHOWN_FAULTS = ['recipientAllowlist', 'holdWhen', 'sendLimit'] as const;

function identityOf({ identity, returnsTo, clientId }: AccessRequest): Html {
  const who =
    identity.kind === 'published'
      ? html`<b>${identity.host}</b> <span class="line small faint mono">${clientId}</span>`
      : html`Not verified <span class="line small faint">The program reports its name itself, and any program can report any name.</span>`;
  return facts([
    [identity.kind === 'published' ? 'Details published at' : 'Identity', who],
    ['Returns to', placeInWords(returnsTo)],
  ]);
}

function placeInWords(place: ReturnPlace): Html {
  switch (place.kind) {
    case 'own-machine':
      return html`A program on this computer <span class="line small faint mono">${place.host}</span>`;
    case 'site':
      return html`The site <b>${place.host}</b>`;
    case 'app':
      return html`An app on this device <span class="line small faint mono">${place.scheme}</span>`;
  }
}

function warningOf(request: AccessRequest): Html {
  const { identity, returnsTo } = request;
  const hosts = [
    ...(identity.kind === 'published' ? [identity.host] : []),
    ...(returnsTo.kind === 'site' ? [returnsTo.host] : []),
  ];
  const remarks = [...new Set(hosts)].flatMap((host) => findHostLookAlike(host, request.ownDomains) ?? []);
  const isElsewhere = returnsTo.kind === 'site' && !(identity.kind === 'published' && identity.host === returnsTo.host);
  return html`${remarks.map((remark) => notice('bad', 'This host may imitate another one', remark))}
${mixesAlphabets(request.clientName) ? notice('bad', 'The name of the program mixes alphabets', 'Some of its letters only look like others.') : null}
${usesTakenName(request) ? notice('bad', 'The program uses a name that is not its own', 'It is neither a part of Postrider nor a member of your team.') : null}
${isElsewhere ? notice('warn', `Access is given to ${returnsTo.host}`, 'Allow it only if you started this in a program that you use there.') : notice('info', 'Allow it only if you just started this yourself.')}`;
}

/** Whether the name is, or contains, that of this server or of a member. */
function usesTakenName({ clientName, takenNames }: AccessRequest): boolean {
  const plain = (name: string) =>
    name
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}@]+/gu, ' ')
      .trim();
  return takenNames.some((name) => plain(name).length > 2 && ` ${plain(clientName)} `.includes(` ${plain(name)} `));
}

/** Whether a word has Latin letters beside Cyrillic or Greek ones, many of which look the same. */
function mixesAlphabets(name: string): boolean {
  return name
    .split(/[^\p{L}]+/u)
    .some((word) => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word));
}

function nothingToSend({ signedIn: { role } }: ConsentPage): Html {
  return notice(
    'info',
    'It will not send',
    `Either your role, ${role}, does not include sending, or the program does not ask for it.`,
  );
}

function recipientFields({ form, request: { teamAddresses } }: ConsentPage, fault: string | null): Html {
  const chosen = form.get('recipients') ?? 'anyone';
  const count = teamAddresses.length;
  const team = count === 1 ? `Only you: ${teamAddresses[0]}.` : `The addresses of its ${count} members today.`;
  return html`<fieldset><legend>Whom it may write to</legend>
${radio({ name: 'recipients', value: 'anyone', label: 'Anyone', hint: 'Approvals, below, still apply.', isChecked: chosen === 'anyone' })}
${radio({ name: 'recipients', value: 'team', label: 'Only your team', hint: team, isChecked: chosen === 'team' })}
${radio({ name: 'recipients', value: 'listed', label: 'Only these addresses and domains', isChecked: chosen === 'listed' })}
<div class="if-listed">${textArea({ name: 'recipientList', label: 'Addresses and domains', value: form.get('recipientList'), rows: 2, fault, hint: html`One on each line: <code>ada@acme.example</code>, or <code>@acme.example</code> for a domain.` })}</div></fieldset>`;
}

function holdFields({ form, request: { ownDomains } }: ConsentPage, fault: string | null): Html {
  const chosen = form.get('held') ?? 'all';
  const own =
    ownDomains.length === 0 ? 'The account has no verified domain yet, so every one counts.' : ownDomains.join(', ');
  const rule = (name: string, label: string, hint?: string) =>
    checkbox({ name, label, isChecked: form.has(name), ...(hint === undefined ? {} : { hint }) });
  return html`<fieldset><legend>What waits for your approval</legend>
${radio({ name: 'held', value: 'all', label: 'Every message', hint: 'Nothing is sent before a person approves it.', isChecked: chosen === 'all' })}
${radio({ name: 'held', value: 'some', label: 'Only some messages', isChecked: chosen === 'some' })}
<div class="if-some stack"><strong>Which messages wait</strong>${fault === null ? null : html`<span role="alert" class="fault">${fault}</span>`}
${rule('firstContact', 'The first message to someone')}
${rule('linksElsewhere', 'Messages with links to other domains than yours', own)}
${rule('otherDomains', 'Messages to other domains than yours', own)}
${rule('hasAttachments', 'Messages with attachments')}
${rule('hasBcc', 'Messages with blind copies')}</div></fieldset>`;
}

function amountField(form: PageForm, fault: string | null): Html {
  const value = form.get('day') ?? String(DEFAULT_DAILY_SENDS);
  return textField({
    name: 'day',
    label: 'Messages a day, at most',
    type: 'number',
    min: 1,
    value,
    fault,
    hint: 'Empty: only the quota of the account.',
  });
}

function readingField({ form, request: { scopes } }: ConsentPage): Html | null {
  if (!scopes.includes('emails:content-all')) return null;
  return html`<fieldset><legend>What it may read</legend>
${checkbox({ name: 'readsOthers', label: 'Messages that others in this account sent', hint: scopes.includes('emails:content') ? 'It reads its own messages, and the log without contents, in any case.' : 'It reads the log without contents in any case.', isChecked: form.has('readsOthers') })}</fieldset>`;
}

function furtherFields({ form, request }: ConsentPage): Html | null {
  const further = furtherScopes(request);
  if (further.length === 0) return null;
  const ticked = form.all('scope');
  const box = (scope: Scope) =>
    checkbox({
      ...{ name: 'scope', value: scope, label: describeProgramScope(scope), hint: html`<code>${scope}</code>` },
      isChecked: ticked.includes(scope),
    });
  return html`<fieldset><legend>What else it asks for</legend>${further.map(box)}</fieldset>`;
}

function endField(form: PageForm): Html {
  const label = (days: number) => (days === 1 ? '1 day' : days === 365 ? '1 year' : `${days} days`);
  const options = ACCESS_DAYS.map((days) => ({ value: String(days), label: label(days) }));
  return select({
    name: 'days',
    label: 'The access ends after',
    value: form.get('days') ?? String(DEFAULT_DAYS),
    options,
  });
}

function formerFields({ form, request }: ConsentPage): Html | null {
  const { former } = request;
  if (former.length === 0) return null;
  const chosen = continuedGrant(form, request)?.row.keyId ?? '';
  const describe = ({ row: { createdAt, lastUsedAt } }: (typeof former)[number]) =>
    html`Granted ${time(createdAt.toISOString(), 'day')}, ${lastUsedAt === null ? 'never used' : html`last used ${time(lastUsedAt.toISOString(), 'age')}`}. Its limits stay as they are, and its former sign-in ends.`;
  const continued = former.map((grant) =>
    radio({
      ...{ name: 'continues', value: grant.row.keyId, hint: describe(grant) },
      label: html`Continue with “${foreignText(grant.row.keyName)}”`,
      isChecked: chosen === grant.row.keyId,
    }),
  );
  return html`<fieldset><legend>You allowed this program before</legend>${continued}
${radio({ name: 'continues', value: '', label: 'Give it another access', hint: 'For the program on another machine. You choose its limits here.', isChecked: chosen === '' })}</fieldset>`;
}

/** Shown for the moment before the browser returns to the program, and after it if the program shows nothing. */
export function renderConsentDonePage(
  signedIn: SignedIn,
  { allowed, next }: { readonly allowed: boolean; readonly next: string },
): string {
  const [title, text] = allowed
    ? ['Access is granted', 'You can close this page once the program says that it is connected.']
    : ['Access is denied', 'The program gets no access. You can close this page.'];
  return renderSinglePage(title, html`<p role="status">${text}</p><p><a href="${next}">Return to the program</a></p>`, {
    signedIn,
  });
}

/** An error that the program gets, if the user returns to it. */
export function renderReturnPage(url: URL): string {
  const why = url.searchParams.get('error_description') ?? url.searchParams.get('error') ?? 'The request is not valid.';
  const place = url.protocol === 'https:' ? url.host : url.protocol;
  return renderSinglePage(
    'The program cannot sign in',
    html`<p role="alert">${foreignText(why)}</p><p><a href="${url.href}" rel="noreferrer">Return to ${place}</a></p>`,
  );
}

/** A request that cannot be decided: expired, used, or begun in another browser. */
export function renderConsentFaultPage(title: string, text: string, signedIn: SignedIn | null = null): string {
  return renderSinglePage(title, html`<p role="alert">${text}</p>`, { signedIn });
}
