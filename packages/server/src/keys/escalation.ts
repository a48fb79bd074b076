import type { ApprovalMode, HoldWhen } from '@postrider/core';
import type { KeyRestrictions, KeyRow } from '../db/queries/api-keys.ts';
import { isAllowlistWithin } from '../sending/allowlist.ts';
import { areHostsWithin, fetchableHosts } from '../sending/attachment-hosts.ts';
import { areNetworksWithin } from './ip-allowlist.ts';

/** A dimension in which a key can be restricted, named after its field. */
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
  | 'approvalMode'
  | 'approvers';

/** For each dimension, whether the inner key is at least as restricted as the outer one. */
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
  approvers: areApproversWithin,
};

// Object.keys widens to string; the literal has exactly these names.
const NAMES = Object.keys(IS_WITHIN) as RestrictionName[];

/**
 * Returns the dimensions in which a key would exceed its granter. Tightening is always allowed, even for a key wider than the granter.
 * After a change that loosens anything, the whole key must be within the granter, because its dimensions together decide what it may do.
 * @param granter null for users who may grant anything
 * @param before null for a new key
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

/** Lowers a key's send limits to the strictest of its own and its makers', which is its effective limit. */
export function withMakerLimits<T extends Limited>(key: T): T {
  const least = (name: 'hourlySends' | 'dailySends') => {
    const limits = [key, ...key.makerLimits].flatMap((limit) => limit[name] ?? []);
    return limits.length === 0 ? null : Math.min(...limits);
  };
  return { ...key, hourlySends: least('hourlySends'), dailySends: least('dailySends') };
}

/** Whether another key's sends count against every limit that the granter's own sends count against. */
export function sharesLimits(granter: Limited, { keyId, makers }: Pick<KeyRow, 'keyId' | 'makers'>): boolean {
  const isLimited = granter.hourlySends !== null || granter.dailySends !== null;
  const limiting = [...(isLimited ? [granter.keyId] : []), ...granter.makerLimits.map((limit) => limit.keyId)];
  return limiting.every((id) => id === keyId || makers.includes(id));
}

/**
 * Returns the dimensions in which a change needs a caller who may decide held sends. Loosening `approvalMode` approves mail in advance, and
 * loosening `approvers` lets it be approved with less proof. A user without that permission could otherwise do so through a key. Nor may such
 * a caller loosen a key that can decide, in any dimension.
 */
export function findUndecidable(
  { scopes }: Pick<KeyRestrictions, 'scopes'>,
  wanted: KeyRestrictions,
  before: KeyRestrictions,
): readonly RestrictionName[] {
  if (scopes.includes('approvals:decide')) return [];
  const loosened = NAMES.filter((name) => !IS_WITHIN[name](wanted, before));
  return wanted.scopes.includes('approvals:decide') ? loosened : loosened.filter(isAboutApproval);
}

/** Returns the dimensions in which a change lets more mail be sent without approval, or approved with less proof. */
export function findLooserApproval(wanted: KeyRestrictions, before: KeyRestrictions): readonly RestrictionName[] {
  return NAMES.filter((name) => isAboutApproval(name) && !IS_WITHIN[name](wanted, before));
}

function isAboutApproval(name: RestrictionName): boolean {
  return name === 'approvalMode' || name === 'approvers';
}

/** Without host lists, `mode`, `approvalMode` and `recipientAllowlist` decide, and they are compared on their own. */
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

/** The inner key must lock what the outer one locks to the same values: the agent's name, the source, or both. */
function isPersonaWithin(inner: KeyRestrictions, outer: KeyRestrictions): boolean {
  if (!outer.lockPersona) return true;
  const isKept = (own: string | null, fixed: string | null) => fixed === null || own === fixed;
  return (
    inner.lockPersona &&
    isKept(inner.personaAgentName, outer.personaAgentName) &&
    isKept(inner.personaSource, outer.personaSource)
  );
}

function areApproversWithin(inner: KeyRestrictions, outer: KeyRestrictions): boolean {
  const { approverIds: own } = inner;
  const { approverIds: listed } = outer;
  return (
    (inner.approvalsNeedPasskey || !outer.approvalsNeedPasskey) &&
    inner.approvalsNeeded >= outer.approvalsNeeded &&
    (listed === null || own?.every((id) => listed.includes(id)) === true)
  );
}

const STRICTNESS: Readonly<Record<ApprovalMode, number>> = { off: 0, policy: 1, always: 2 };

/** Of two policies, the inner one must hold everything that the outer one holds. */
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
