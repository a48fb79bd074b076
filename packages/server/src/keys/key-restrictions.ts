import {
  expandScopes,
  type FieldProblem,
  type KeyChangesInput,
  type KeyMode,
  LIMITS,
  NO_APPROVERS,
  PROGRAM_SCOPES,
  type Scope,
  toApprovers,
} from '@postrider/core';
import type { KeyRestrictions } from '../db/queries/api-keys.ts';
import { normalizeAllowlist } from '../sending/allowlist.ts';
import { normalizeNetwork } from './ip-allowlist.ts';

export type RestrictionsVerdict =
  | { readonly ok: true; readonly restrictions: KeyRestrictions }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

type RestrictionChanges = Omit<KeyChangesInput, 'name'>;

/** The restrictions of a key that sets none itself. */
export function defaultRestrictions(mode: KeyMode): KeyRestrictions {
  return {
    mode,
    scopes: [],
    rateLimit: LIMITS.keyRatePerMinuteDefault,
    recipientAllowlist: null,
    ipAllowlist: null,
    attachmentHosts: null,
    expiresAt: null,
    approvalMode: 'off',
    holdWhen: null,
    approvalsNeedPasskey: NO_APPROVERS.requirePasskey,
    approvalsNeeded: NO_APPROVERS.count,
    approverIds: NO_APPROVERS.memberIds,
    personaSource: null,
    personaAgentName: null,
    lockPersona: false,
    hourlySends: null,
    dailySends: null,
  };
}

/** The restrictions of a key before a change, and whether a program that signed in uses it. */
export type FormerRestrictions = KeyRestrictions & { readonly isProgram?: boolean };

/** Applies the requested changes to a key's restrictions; omitted fields stay unchanged. Returns all problems at once. */
export function applyRestrictions(
  before: FormerRestrictions,
  requested: RestrictionChanges,
  now: Date,
): RestrictionsVerdict {
  const { scopes, recipientAllowlist, ipAllowlist, attachmentHosts, expiresAt, holdWhen, ...others } = requested;
  const { rateLimit, approvalMode, approvers, persona, lockPersona, sendLimit, ...unread } = others;
  // A declared field that is not read would be accepted and ignored; then this line does not compile.
  unread satisfies Record<string, never>;
  const recipients = recipientAllowlist == null ? null : normalizeAllowlist(recipientAllowlist);
  const wanted = toApprovers(approvers ?? null);
  const networks = ipAllowlist?.map((given) => normalizeNetwork(given)) ?? null;
  // Listed one by one, because `before` is often a whole row whose other columns must not be copied.
  const restrictions: KeyRestrictions = {
    mode: before.mode,
    scopes: scopesOf(requested, before),
    rateLimit: rateLimit ?? before.rateLimit,
    recipientAllowlist: unlessLeftOut(
      recipientAllowlist,
      recipients === null ? null : distinct(recipients.entries),
      before.recipientAllowlist,
    ),
    ipAllowlist: unlessLeftOut(
      ipAllowlist,
      networks === null ? null : distinct(networks.filter((network) => network !== null)),
      before.ipAllowlist,
    ),
    attachmentHosts: unlessLeftOut(
      attachmentHosts,
      attachmentHosts == null ? null : distinct(attachmentHosts),
      before.attachmentHosts,
    ),
    expiresAt: unlessLeftOut(expiresAt, expiresAt ?? null, before.expiresAt),
    approvalMode: approvalMode ?? before.approvalMode,
    holdWhen: unlessLeftOut(holdWhen, toHoldWhen(holdWhen), before.holdWhen),
    approvalsNeedPasskey: unlessLeftOut(approvers, wanted.requirePasskey, before.approvalsNeedPasskey),
    approvalsNeeded: unlessLeftOut(approvers, wanted.count, before.approvalsNeeded),
    approverIds: unlessLeftOut(
      approvers,
      wanted.memberIds === null ? null : distinct(wanted.memberIds),
      before.approverIds,
    ),
    personaSource: unlessLeftOut(persona, persona?.source ?? null, before.personaSource),
    personaAgentName: unlessLeftOut(persona, persona?.agentName ?? null, before.personaAgentName),
    lockPersona: lockPersona ?? before.lockPersona,
    hourlySends: unlessLeftOut(sendLimit, sendLimit?.hour ?? null, before.hourlySends),
    dailySends: unlessLeftOut(sendLimit, sendLimit?.day ?? null, before.dailySends),
  };
  const problems = [
    ...invalidEntries(requested, recipients?.unknown ?? []),
    ...invalidNetworks(networks ?? []),
    ...(expiresAt != null && expiresAt <= now ? [PAST_EXPIRY] : []),
    ...(restrictions.lockPersona && restrictions.personaSource === null && restrictions.personaAgentName === null
      ? [NOTHING_TO_LOCK]
      : []),
    ...approvalFaults(restrictions),
    ...(before.isProgram === true && scopes !== undefined ? programFaults(restrictions) : []),
  ];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, restrictions };
}

const PAST_EXPIRY: FieldProblem = { path: 'expiresAt', code: 'out_of_range', message: 'must be in the future' };
const NOTHING_TO_LOCK: FieldProblem = {
  path: 'lockPersona',
  code: 'conflict',
  message: 'needs a `persona` to lock',
};

/** Scopes with which a held key could evade its holds: deciding, making keys without holds, or adding members who decide. */
const NOT_BESIDE_APPROVAL: readonly Scope[] = ['keys:write', 'approvals:decide', 'team:write'];

/**
 * For a held key and the key of a program, the shorthand `full` omits the scopes that they cannot have. A scope requested by its own name
 * is never dropped silently.
 */
function scopesOf({ scopes, approvalMode }: RestrictionChanges, before: FormerRestrictions): readonly Scope[] {
  if (scopes === undefined) return before.scopes;
  const isHeld = (approvalMode ?? before.approvalMode) !== 'off';
  const canHave = (scope: Scope) =>
    !(isHeld && NOT_BESIDE_APPROVAL.includes(scope)) && !(before.isProgram === true && !PROGRAM_SCOPES.includes(scope));
  return expandScopes(scopes).scopes.filter((scope) => scopes.includes(scope) || canHave(scope));
}

function programFaults({ scopes }: KeyRestrictions): readonly FieldProblem[] {
  const named = scopes.filter((scope) => !PROGRAM_SCOPES.includes(scope));
  const message = `the key of a program that signed in cannot have ${inCode(named)}: pass other \`scopes\``;
  return named.length > 0 ? [{ path: 'scopes', code: 'conflict', message }] : [];
}

function inCode(scopes: readonly Scope[]): string {
  return scopes.map((scope) => `\`${scope}\``).join(' or ');
}

function approvalFaults({ approvalMode, holdWhen, scopes }: KeyRestrictions): readonly FieldProblem[] {
  if (approvalMode === 'off') return [];
  const named = scopes.filter((scope) => NOT_BESIDE_APPROVAL.includes(scope));
  const message = `a key in approval mode cannot have ${inCode(named)}: pass other \`scopes\``;
  return [
    ...(named.length > 0 ? [{ path: 'scopes', code: 'conflict', message }] : []),
    ...(approvalMode === 'policy' && holdWhen === null ? [NO_POLICY] : []),
  ];
}

const NO_POLICY: FieldProblem = {
  path: 'holdWhen',
  code: 'required',
  message: 'is required with the approval mode `policy`: it says which sends are held',
};

function unlessLeftOut<T>(given: unknown, value: T, before: T): T {
  return given === undefined ? before : value;
}

function invalidEntries(
  { recipientAllowlist }: RestrictionChanges,
  unknown: readonly string[],
): readonly FieldProblem[] {
  const message = 'must be an address `a@b.c`, a domain `@b.c`, or its subdomains `*.b.c`';
  return (recipientAllowlist ?? []).flatMap((entry, index) =>
    unknown.includes(entry) ? [{ path: `recipientAllowlist.${index}`, code: 'invalid_format', message }] : [],
  );
}

function invalidNetworks(networks: readonly (string | null)[]): readonly FieldProblem[] {
  const message = 'must be a network such as `203.0.113.0/24` or `2001:db8::/32`, or one address';
  return networks.flatMap((network, index) =>
    network === null ? [{ path: `ipAllowlist.${index}`, code: 'invalid_format', message }] : [],
  );
}

function toHoldWhen(given: RestrictionChanges['holdWhen']): KeyRestrictions['holdWhen'] {
  if (given == null) return null;
  return {
    firstContact: given.firstContact ?? false,
    recipientDomainNotIn: given.recipientDomainNotIn ?? null,
    recipientsOver: given.recipientsOver ?? null,
    hasBcc: given.hasBcc ?? false,
    hasAttachments: given.hasAttachments ?? false,
    freeformBody: given.freeformBody ?? false,
    linkDomainNotIn: given.linkDomainNotIn ?? null,
  };
}

function distinct(entries: readonly string[]): readonly string[] {
  return [...new Set(entries)];
}
