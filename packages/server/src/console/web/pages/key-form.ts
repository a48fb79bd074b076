import {
  ALL_SCOPES,
  type HoldWhen,
  type KeyPolicy,
  keyPolicyInWords,
  LIMITS,
  type Problem,
  SCOPE_SHORTHANDS,
  SCOPES,
  type Scope,
  SOURCES,
} from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { checkbox, faultOf, radio, select, textArea, textField } from '../../../ui/components/field.ts';
import { card } from '../../../ui/components/surfaces.ts';
import { withCode } from '../../../ui/components/with-code.ts';
import type { PageForm } from '../page-form.ts';
import { approverFields, type ListedApprover } from './approver-fields.ts';

/** What a form about a key shows: the values as typed. */
export interface KeyFormValues {
  readonly form: PageForm;
  readonly problem: Problem | null;
  /** False for a key that exists: its mode never changes. */
  readonly isNew: boolean;
  /** The members who can approve. */
  readonly approvers: readonly ListedApprover[];
}

/** The fields of a key, in the order in which a person decides: what it may do, whom it may write to, what waits for approval. */
export function keyFields({ form, problem, isNew, approvers }: KeyFormValues): Html {
  const fault = (path: string) => faultOf(problem?.errors, path);
  return html`${textField({ name: 'name', label: 'Name', value: form.get('name'), isRequired: true, maxLength: LIMITS.keyNameCharacters, fault: fault('name'), placeholder: 'Invoice agent', hint: 'Approvers and the log show this name.' })}
${isNew ? modeFields(form) : null}${scopeFields(form, fault('scopes'))}${approvalFields({ form, problem, isNew, approvers })}
<fieldset><legend>Who it may send to</legend>${textArea({ name: 'recipientAllowlist', label: 'Only these recipients', value: form.get('recipientAllowlist'), rows: 3, fault: fault('recipientAllowlist'), hint: html`One on each line: <code>ada@acme.example</code>, <code>@acme.example</code> for a domain, <code>*.acme.example</code> for its subdomains. Empty: anyone.` })}</fieldset>
<fieldset><legend>How much</legend><div class="thirds">${numberField(form, 'hour', 'Messages an hour', fault('sendLimit'))}${numberField(form, 'day', 'Messages a day', fault('sendLimit.day'))}${numberField(form, 'rateLimit', 'Requests a minute', fault('rateLimit'))}</div></fieldset>
${personaFields(form, fault)}${furtherFields(form, fault)}`;
}

function modeFields(form: PageForm): Html {
  const mode = form.get('mode') ?? 'live';
  return html`<fieldset><legend>Mode</legend>${radio({ name: 'mode', value: 'live', label: 'Live', hint: 'Messages are delivered.', isChecked: mode === 'live' })}
${radio({ name: 'mode', value: 'test', label: 'Test', hint: 'Every rule runs, and nothing leaves the server.', isChecked: mode === 'test' })}</fieldset>`;
}

function scopeFields(form: PageForm, fault: string | null): Html {
  const chosen = form.get('access') ?? 'sending';
  const ticked = new Set(form.all('scope'));
  const boxes = ALL_SCOPES.map((scope) =>
    checkbox({
      name: 'scope',
      value: scope,
      label: html`<code>${scope}</code>`,
      hint: SCOPES[scope],
      isChecked: ticked.has(scope),
    }),
  );
  return html`<fieldset><legend>What it may do</legend>${fault === null ? null : html`<span class="label" role="alert">${fault}</span>`}
${radio({ name: 'access', value: 'sending', label: 'Send and follow messages', hint: 'For an agent or an application. It reads the log without contents, and the contents of its own messages.', isChecked: chosen === 'sending' })}
${radio({ name: 'access', value: 'full', label: 'Everything except deciding approvals', hint: 'For your own administration programs.', isChecked: chosen === 'full' })}
${radio({ name: 'access', value: 'chosen', label: 'Only selected permissions', isChecked: chosen === 'chosen' })}
<div class="if-chosen halves">${boxes}</div></fieldset>`;
}

const RULES: readonly (readonly [name: keyof HoldWhen, label: string, hint: string])[] = [
  ['firstContact', 'Mail to someone the account has never written to', 'The first message to each recipient waits.'],
  ['hasAttachments', 'Mail with files', 'Including files inside the body.'],
  ['hasBcc', 'Mail with blind copies', 'Recipients that the others do not see.'],
  ['freeformBody', 'Mail that is more than an approved template', 'Text that the agent wrote itself.'],
];

function approvalFields({ form, problem, approvers }: KeyFormValues): Html {
  const fault = faultOf(problem?.errors, 'holdWhen');
  const mode = form.get('approvalMode') ?? 'off';
  const boxes = RULES.map(([name, label, hint]) => checkbox({ name, label, hint, isChecked: form.has(name) }));
  return html`<fieldset><legend>Approval</legend>
${radio({ name: 'approvalMode', value: 'always', label: 'Every message waits for approval', hint: 'The safest choice for an agent.', isChecked: mode === 'always' })}
${radio({ name: 'approvalMode', value: 'policy', label: 'Some messages wait for approval', hint: 'Those that match a rule you tick.', isChecked: mode === 'policy' })}
${radio({ name: 'approvalMode', value: 'off', label: 'No message waits', isChecked: mode === 'off' })}
<div class="if-policy stack"><strong>Which messages wait</strong>${fault === null ? null : html`<span role="alert">${fault}</span>`}${boxes}
${textArea({ name: 'recipientDomainNotIn', label: 'Mail to domains other than these', value: form.get('recipientDomainNotIn'), rows: 2, hint: 'One domain on each line. Empty: the rule is off.' })}
${textArea({ name: 'linkDomainNotIn', label: 'Mail with links to domains other than these', value: form.get('linkDomainNotIn'), rows: 2, hint: 'One domain on each line. Empty: the rule is off.' })}
${textField({ name: 'recipientsOver', label: 'Mail to more recipients than', type: 'number', min: 0, max: LIMITS.recipientsPerMessage, value: form.get('recipientsOver') })}</div>
<div class="if-held stack">${approverFields(form, approvers, problem?.errors)}</div></fieldset>`;
}

function numberField(form: PageForm, name: string, label: string, fault: string | null): Html {
  return textField({
    name,
    label,
    type: 'number',
    min: 1,
    value: form.get(name),
    fault,
    hint: 'Empty: no limit of its own.',
  });
}

function personaFields(form: PageForm, fault: (path: string) => string | null): Html {
  const sources = [{ value: '', label: 'Not set' }, ...SOURCES.map((value) => ({ value, label: value }))];
  return html`<fieldset><legend>How its mail is marked</legend><div class="halves">
${textField({ name: 'agentName', label: 'Agent name', value: form.get('agentName'), maxLength: LIMITS.agentNameCharacters, fault: fault('persona') })}
${select({ name: 'source', label: 'Source', value: form.get('source') ?? '', options: sources })}</div>
${checkbox({ name: 'lockPersona', label: 'Its sends cannot name another agent or source', isChecked: form.has('lockPersona') })}</fieldset>`;
}

function furtherFields(form: PageForm, fault: (path: string) => string | null): Html {
  const isOpen = ['ipAllowlist', 'attachmentHosts', 'expiresAt'].some((name) => form.text(name) !== undefined);
  return html`<details class="more"${isOpen ? html` open` : null}><summary>Networks, file hosts, expiry date</summary><div class="stack">
${textArea({ name: 'ipAllowlist', label: 'Only from these networks', value: form.get('ipAllowlist'), rows: 2, fault: fault('ipAllowlist'), hint: html`Addresses or CIDR, one on each line: <code>203.0.113.0/24</code>. Empty: from anywhere.` })}
${textArea({ name: 'attachmentHosts', label: 'Files by URL only from these hosts', value: form.get('attachmentHosts'), rows: 2, fault: fault('attachmentHosts') })}
${textField({ name: 'expiresAt', label: 'Expires on (UTC)', type: 'date', value: form.get('expiresAt'), fault: fault('expiresAt') })}</div></details>`;
}

/** What an agent with this key could do, in sentences. */
export function policyCard(policy: KeyPolicy): Html {
  return html`<div id="policy">${card('What an agent with this key could do', policyLists(policy))}</div>`;
}

/** What a key may do, may not do, and what waits for approval. */
export function policyLists(policy: KeyPolicy): Html {
  const { may, mayNot, held } = keyPolicyInWords(policy);
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0
      ? null
      : html`<section><h3>${title}</h3><ul class="bullets">${lines.map((words) => html`<li>${withCode(words)}</li>`)}</ul></section>`;
  const waits =
    policy.approvalMode !== 'off'
      ? list('Waits for approval', held)
      : html`<section><h3>Waits for approval</h3><p class="soft">Nothing: its messages are sent at once.</p></section>`;
  return html`${waits}${list('May', may)}${list('May not', mayNot)}`;
}

/** The scopes that the form names, without shorthands. */
export function scopesOf(form: PageForm): readonly Scope[] {
  const access = form.get('access') ?? 'sending';
  if (access === 'sending' || access === 'full') {
    const held = form.get('approvalMode') !== 'off' && form.get('approvalMode') !== null;
    const forbidden: readonly Scope[] = held && access === 'full' ? ['keys:write', 'team:write'] : [];
    return SCOPE_SHORTHANDS[access].filter((scope) => !forbidden.includes(scope));
  }
  const ticked = new Set(form.all('scope'));
  return ALL_SCOPES.filter((scope) => ticked.has(scope));
}
