import type { ApprovalMode, HoldWhen } from '@postrider/core';
import type { KeyRestrictions, KeyRow } from '../db/queries/api-keys.ts';
import { isAllowlistWithin } from '../sending/allowlist.ts';
import { areHostsWithin, fetchableHosts } from '../sending/attachment-hosts.ts';
import { areNetworksWithin } from './ip-allowlist.ts';

/** A dimension in which keys are more or less restricted, by the name of its field. */
export type RestrictionName =
  | 'scopes'
  | 'mode'
  | 'rateLimit'
  | 'recipientAllowlist'
  | 'ipAllowlist'
  | 'attachmentHosts'
  | 'expiresAt'
  | 'sendLimit'
  | 'lockPersona'
  | 'approvalMode';

/** Whether a key is nowhere less restricted than another, dimension by dimension. */
const IS_WITHIN: Readonly<Record<RestrictionName, (inner: KeyRestrictions, outer: KeyRestrictions) => boolean>> = {
  scopes: (inner, outer) => inner.scopes.every((scope) => outer.scopes.includes(scope)),
  mode: (inner, outer) => outer.mode === 'live' || inner.mode === 'test',
  rateLimit: (inner, outer) => inner.rateLimit <= outer.rateLimit,
  recipientAllowlist: (inner, outer) => isAllowlistWithin(inner.recipientAllowlist, outer.recipientAllowlist),
  ipAllowlist: (inner, outer) => areNetworksWithin(inner.ipAllowlist, outer.ipAllowlist),
  attachmentHosts: areAttachmentHostsWithin,
  expiresAt: ({ expiresAt: inner }, { expiresAt: outer }) => outer === null || (inner !== null && inner <= outer),
  sendLimit: (inner, outer) =>
    isAtMost(inner.hourlySends, outer.hourlySends) && isAtMost(inner.dailySends, outer.dailySends),
  lockPersona: isPersonaWithin,
  approvalMode: isApprovalWithin,
};

// Object.keys widens to string; the literal has exactly these names.
const NAMES = Object.keys(IS_WITHIN) as RestrictionName[];

/**
 * In which dimensions a key would come to more than its granter has. Tightening is always allowed, also of a key that is wider than the granter.
 * A change that loosens anything must leave the whole key within the granter: what a key may do follows from its dimensions together, and one
 * that was harmless beside the others may not be so any more.
 * @param granter null for users who may grant anything
 * @param before null for a key that is being made
 */
export function findEscalations(
  granter: KeyRestrictions | null,
  wanted: KeyRestrictions,
  before: KeyRestrictions | null,
): readonly RestrictionName[] {
  if (granter === null) return [];
  if (before !== null && NAMES.every((name) => IS_WITHIN[name](wanted, before))) return [];
  return NAMES.filter((name) => !IS_WITHIN[name](wanted, granter));
}

type Limited = Pick<KeyRow, 'keyId' | 'makers' | 'makerLimits' | 'hourlySends' | 'dailySends'>;

/** A key with the strictest of its own send limit and those of its makers, which is what it comes to. */
export function withMakerLimits<T extends Limited>(key: T): T {
  const least = (name: 'hourlySends' | 'dailySends') => {
    const limits = [key, ...key.makerLimits].flatMap((limit) => limit[name] ?? []);
    return limits.length === 0 ? null : Math.min(...limits);
  };
  return { ...key, hourlySends: least('hourlySends'), dailySends: least('dailySends') };
}

/** Whether everything that another key sends counts against every limit that a granter's own sends count against. */
export function sharesLimits(granter: Limited, { keyId, makers }: Pick<KeyRow, 'keyId' | 'makers'>): boolean {
  const isLimited = granter.hourlySends !== null || granter.dailySends !== null;
  const limiting = [...(isLimited ? [granter.keyId] : []), ...granter.makerLimits.map((limit) => limit.keyId)];
  return limiting.every((id) => id === keyId || makers.includes(id));
}

/**
 * In which dimensions a change decides over held sends, and so needs a caller who may decide them, a user or a key. Who holds less of a key's mail
 * approves that mail ahead of time; a user without deciding could do it through a key otherwise. A key that decides is worth more the less
 * restricts it, so that no caller without deciding loosens one.
 */
export function findUndecidable(
  { scopes }: Pick<KeyRow, 'scopes'>,
  wanted: KeyRestrictions,
  before: KeyRestrictions,
): readonly RestrictionName[] {
  if (scopes.includes('approvals:decide')) return [];
  const loosened = NAMES.filter((name) => !IS_WITHIN[name](wanted, before));
  return wanted.scopes.includes('approvals:decide') ? loosened : loosened.filter((name) => name === 'approvalMode');
}

/** Without lists, `mode`, `approvalMode` and `recipientAllowlist` decide alone, and these are compared on their own. */
function areAttachmentHostsWithin(inner: KeyRestrictions, outer: KeyRestrictions): boolean {
  if (inner.attachmentHosts === null && outer.attachmentHosts === null) return true;
  return areHostsWithin(hostsOf(inner), hostsOf(outer));
}

function hostsOf({ attachmentHosts, mode, approvalMode, recipientAllowlist }: KeyRestrictions) {
  return fetchableHosts({
    attachmentHosts,
    isTest: mode === 'test',
    isHeld: approvalMode !== 'off',
    isAllowlisted: recipientAllowlist !== null,
  });
}

function isAtMost(inner: number | null, outer: number | null): boolean {
  return outer === null || (inner !== null && inner <= outer);
}

/** What a lock fixes has to be fixed alike: the agent's name, the source, or both. */
function isPersonaWithin(inner: KeyRestrictions, outer: KeyRestrictions): boolean {
  if (!outer.lockPersona) return true;
  const isKept = (own: string | null, fixed: string | null) => fixed === null || own === fixed;
  return (
    inner.lockPersona &&
    isKept(inner.personaAgentName, outer.personaAgentName) &&
    isKept(inner.personaSource, outer.personaSource)
  );
}

const STRICTNESS: Readonly<Record<ApprovalMode, number>> = { off: 0, policy: 1, always: 2 };

/** Of two policies the inner one has to hold whatever the outer one holds. */
function isApprovalWithin(inner: KeyRestrictions, outer: KeyRestrictions): boolean {
  if (inner.approvalMode === 'policy' && outer.approvalMode === 'policy') {
    return outer.holdWhen === null || holdsAsMuch(inner.holdWhen, outer.holdWhen);
  }
  return STRICTNESS[inner.approvalMode] >= STRICTNESS[outer.approvalMode];
}

function holdsAsMuch(inner: HoldWhen | null, outer: HoldWhen): boolean {
  const rules = inner ?? HOLDS_NOTHING;
  const isKept = (name: 'firstContact' | 'hasBcc' | 'hasAttachments' | 'freeformBody') => rules[name] || !outer[name];
  const areKept = (own: readonly string[] | null, listed: readonly string[] | null) =>
    listed === null || own?.every((domain) => listed.includes(domain)) === true;
  return (
    (['firstContact', 'hasBcc', 'hasAttachments', 'freeformBody'] as const).every(isKept) &&
    isAtMost(rules.recipientsOver, outer.recipientsOver) &&
    areKept(rules.recipientDomainNotIn, outer.recipientDomainNotIn) &&
    areKept(rules.linkDomainNotIn, outer.linkDomainNotIn)
  );
}

const HOLDS_NOTHING: HoldWhen = {
  firstContact: false,
  recipientDomainNotIn: null,
  recipientsOver: null,
  hasBcc: false,
  hasAttachments: false,
  freeformBody: false,
  linkDomainNotIn: null,
};
