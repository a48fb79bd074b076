import { type HoldWhen, type KeyPolicy, NO_APPROVERS, type Scope, type SendLimit, type Source } from '@postrider/core';
import { dayStart } from '../day-bounds.ts';
import type { PageForm } from '../page-form.ts';
import { approversOf, fieldsOfApprovers } from './approver-fields.ts';
import { scopesOf } from './key-form.ts';

/** Requests a minute of a key that names no limit; the operation has the same default. */
const DEFAULT_RATE = 600;

/** The input of `keys.create` and `keys.update` from a form. Every restriction is named: an empty field removes it. */
export function keyInputOf(form: PageForm) {
  const access = form.get('access') ?? 'sending';
  const scopes: (Scope | 'sending' | 'full')[] =
    access === 'sending' || access === 'full' ? [access] : [...scopesOf(form)];
  const rateLimit = numberOf(form, 'rateLimit');
  return {
    name: form.text('name') ?? '',
    scopes,
    ...(rateLimit === null ? {} : { rateLimit }),
    ...restrictionsOf(form),
  };
}

/** The same as a policy, for its description in words before anything is stored. */
export function policyOf(form: PageForm, mode: KeyPolicy['mode']): KeyPolicy {
  const { holdWhen, approvers, ...restrictions } = restrictionsOf(form);
  return {
    mode,
    scopes: scopesOf(form),
    rateLimit: numberOf(form, 'rateLimit') ?? DEFAULT_RATE,
    ...restrictions,
    holdWhen: restrictions.approvalMode === 'policy' ? holdWhen : null,
    approvers: approvers ?? NO_APPROVERS,
  };
}

function restrictionsOf(form: PageForm) {
  const approvalMode = modeOf(form.get('approvalMode'));
  const expiresAt = form.text('expiresAt');
  return {
    recipientAllowlist: listOf(form, 'recipientAllowlist'),
    ipAllowlist: listOf(form, 'ipAllowlist'),
    attachmentHosts: listOf(form, 'attachmentHosts'),
    sendLimit: sendLimitOf(form),
    approvalMode,
    holdWhen: approvalMode === 'policy' ? holdWhenOf(form) : null,
    approvers: approversOf(form),
    persona: personaOf(form),
    lockPersona: form.has('lockPersona'),
    expiresAt: expiresAt === undefined ? null : dayStart(expiresAt),
  };
}

function modeOf(given: string | null): KeyPolicy['approvalMode'] {
  return given === 'always' || given === 'policy' ? given : 'off';
}

function listOf(form: PageForm, name: string): string[] | null {
  const entries = form.list(name);
  return entries.length === 0 ? null : [...entries];
}

/** A number as typed; NaN for what is none, which the operation rejects. */
function numberOf(form: PageForm, name: string): number | null {
  const text = form.text(name);
  return text === undefined ? null : Number(text);
}

function sendLimitOf(form: PageForm): SendLimit | null {
  const [hour, day] = [numberOf(form, 'hour'), numberOf(form, 'day')];
  return hour === null && day === null ? null : { hour, day };
}

function personaOf(form: PageForm): { agentName: string | null; source: Source | null } | null {
  const agentName = form.text('agentName') ?? null;
  const source = (form.text('source') ?? null) as Source | null; // The operation rejects anything else.
  return agentName === null && source === null ? null : { agentName, source };
}

function holdWhenOf(form: PageForm): HoldWhen {
  return {
    firstContact: form.has('firstContact'),
    hasAttachments: form.has('hasAttachments'),
    hasBcc: form.has('hasBcc'),
    freeformBody: form.has('freeformBody'),
    recipientDomainNotIn: listOf(form, 'recipientDomainNotIn'),
    linkDomainNotIn: listOf(form, 'linkDomainNotIn'),
    recipientsOver: numberOf(form, 'recipientsOver'),
  };
}

/** A stored key as the fields of the form. */
export function fieldsOfKey(key: KeyPolicy & { readonly name: string }): readonly (readonly [string, string])[] {
  const { holdWhen } = key;
  const lines = (values: readonly string[] | null | undefined) => (values ?? []).join('\n');
  const flags = (['firstContact', 'hasAttachments', 'hasBcc', 'freeformBody'] as const).filter(
    (name) => holdWhen?.[name] === true,
  );
  return [
    ['name', key.name],
    ['access', 'chosen'],
    ...key.scopes.map((scope) => ['scope', scope] as const),
    ['approvalMode', key.approvalMode],
    ...flags.map((name) => [name, 'true'] as const),
    ...fieldsOfApprovers(key.approvers),
    ['recipientDomainNotIn', lines(holdWhen?.recipientDomainNotIn)],
    ['linkDomainNotIn', lines(holdWhen?.linkDomainNotIn)],
    ['recipientsOver', String(holdWhen?.recipientsOver ?? '')],
    ['recipientAllowlist', lines(key.recipientAllowlist)],
    ['ipAllowlist', lines(key.ipAllowlist)],
    ['attachmentHosts', lines(key.attachmentHosts)],
    ['hour', String(key.sendLimit?.hour ?? '')],
    ['day', String(key.sendLimit?.day ?? '')],
    ['rateLimit', String(key.rateLimit)],
    ['agentName', key.persona?.agentName ?? ''],
    ['source', key.persona?.source ?? ''],
    ...(key.lockPersona ? [['lockPersona', 'true'] as const] : []),
    ['expiresAt', key.expiresAt?.slice(0, 10) ?? ''],
  ];
}
