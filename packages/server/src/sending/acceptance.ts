import {
  type ErrorCode,
  type FieldProblem,
  foldAddress,
  nameOperation,
  type RecipientKind,
  type RefusedRecipient,
} from '@postrider/core';
import { isAllowed } from './allowlist.ts';

/** What the rules of the keys that judge a send need to know. No facts are read beyond the keys. */
export interface KeyQuestion {
  readonly recipients: readonly { readonly email: string; readonly kind: RecipientKind }[];
  readonly recipientAllowlist: readonly string[] | null;
  /** The caller's allowlist, if the send is issued under another key. */
  readonly callerAllowlist?: readonly string[] | null;
  readonly pausedBy?: 'key' | 'account' | null;
  /** Why the key's persona does not permit this send; null if it does. */
  readonly personaFault?: Refusal | null;
}

/** What the rules need to know about one send and the account behind it. */
export interface AcceptanceQuestion extends KeyQuestion {
  readonly fromDomain: string;
  /** Quota units: the recipients outside the installation. */
  readonly cost: number;
  /** Why a key that judges the send is no longer valid; null if all are. */
  readonly keyFault?: Refusal | null;
  readonly accountSuspended: boolean;
  /** Why the send exceeds a key's send limit; null if it does not. */
  readonly sendLimitFault?: Refusal | null;
  readonly domainVerified: boolean;
  /** Why the account cannot send from its domain of this name; null if it has no such domain. */
  readonly unsendable?: UnsendableDomain | null;
  readonly suppressed: (email: string) => boolean;
  readonly quotaLimit: number;
  readonly quotaUsed: number;
}

/** A domain of the account that it cannot send from. */
export interface UnsendableDomain {
  readonly id: string;
  /** `held`: another account has the name. */
  readonly because: 'unverified' | 'held' | 'removed';
  /** The required records that the last lookup did not find. */
  readonly missing: readonly PublishableRecord[];
}

/** A DNS record as the user publishes it. */
export interface PublishableRecord {
  readonly type: string;
  readonly host: string;
  readonly value: string;
  readonly priority: number | null;
}

export type AcceptanceVerdict = { readonly ok: true } | (Refusal & { readonly ok: false });

/** Why a send is refused: an error code of the catalog and the details of this case. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly fix?: string;
  readonly recipients?: readonly RefusedRecipient[];
  /** The invalid fields, if the refusal is about fields. */
  readonly errors?: readonly FieldProblem[];
  /** The delay after which a retry may succeed. */
  readonly retryAfterSeconds?: number;
  /** The remaining quota, if the quota is the reason. */
  readonly quota?: { readonly limit: number; readonly remaining: number };
}

/**
 * The acceptance check that every recipient of every send passes, on every path: account, pauses, the key's persona, sending domain, the
 * key's allowlist, the suppression list, the monthly quota, the key's send limits. One failing recipient refuses the whole send, and the
 * refusal names all recipients that fail.
 */
export function checkAcceptance(question: AcceptanceQuestion): AcceptanceVerdict {
  const key = refuseKey(question);
  if (key !== null) return { ok: false, ...key };
  if (!question.domainVerified) return { ok: false, ...unverifiedDomain(question) };
  const refused = question.recipients.flatMap((recipient) => refuseRecipient(recipient, question));
  const first = refused[0];
  if (first !== undefined) return { ok: false, ...refusedRecipients(first.code, refused) };
  // Sends that cost nothing skip the quota check, even if the quota was lowered below what has been used.
  if (question.cost > 0 && question.quotaUsed + question.cost > question.quotaLimit) {
    return { ok: false, ...overQuota(question) };
  }
  const { sendLimitFault = null } = question;
  return sendLimitFault === null ? { ok: true } : { ok: false, ...sendLimitFault };
}

/** Why the keys that judge a send refuse it without any facts: a pause, a locked persona, an allowlist. Null if they do not. */
export function checkKeyRules(question: KeyQuestion): Refusal | null {
  const refused = question.recipients.filter(({ email }) => !isAllowedByAll(email, question));
  const notAllowed = refused.map(({ email, kind }) => ({ email, kind, code: 'recipient_not_allowed' as const }));
  return refuseUse(question) ?? (notAllowed.length > 0 ? refusedRecipients('recipient_not_allowed', notAllowed) : null);
}

/** The rules about the account and the key as a whole, regardless of the recipients. */
function refuseKey(question: AcceptanceQuestion): Refusal | null {
  const { accountSuspended, keyFault = null } = question;
  return accountSuspended ? ACCOUNT_SUSPENDED : (keyFault ?? refuseUse(question));
}

function refuseUse({ pausedBy = null, personaFault = null }: KeyQuestion): Refusal | null {
  return pausedBy === null ? personaFault : PAUSED[pausedBy];
}

const PAUSED: Readonly<Record<'key' | 'account', Refusal>> = {
  key: {
    code: 'sending_paused',
    detail: 'The key is paused and cannot send.',
    fix: `Resume the key with ${nameOperation('keys.resume')}, then send again.`,
  },
  account: {
    code: 'sending_paused',
    detail: 'The account is paused: none of its keys can send.',
    fix: `Resume the account with ${nameOperation('account.resume')}, then send again.`,
  },
};

const ACCOUNT_SUSPENDED: Refusal = { code: 'account_suspended', detail: 'The account is suspended.' };

/** The result of each rule on its own; null if the rule permits the send. */
export interface AcceptanceFindings {
  readonly account: Refusal | null;
  readonly domain: Refusal | null;
  readonly allowlist: Refusal | null;
  readonly suppression: Refusal | null;
  readonly quota: Refusal | null;
  /** The recipients that a send would be refused for, each with the reason that the refusal would give. */
  readonly refused: readonly RefusedRecipient[];
}

/** The same check without stopping at the first failure: a dry run reports the result of every rule. */
export function examineAcceptance(question: AcceptanceQuestion): AcceptanceFindings {
  const each = (rule: (email: string) => boolean, code: RefusedRecipient['code']) =>
    question.recipients.filter(({ email }) => rule(email)).map(({ email, kind }) => ({ email, kind, code }));
  const notAllowed = each((email) => !isAllowedByAll(email, question), 'recipient_not_allowed');
  const suppressed = each((email) => question.suppressed(foldAddress(email)), 'recipient_suppressed');
  const overdrawn = question.cost > 0 && question.quotaUsed + question.cost > question.quotaLimit;
  return {
    account: refuseKey(question),
    domain: question.domainVerified ? null : unverifiedDomain(question),
    allowlist: notAllowed.length > 0 ? refusedRecipients('recipient_not_allowed', notAllowed) : null,
    suppression: suppressed.length > 0 ? refusedRecipients('recipient_suppressed', suppressed) : null,
    quota: overdrawn ? overQuota(question) : (question.sendLimitFault ?? null),
    refused: question.recipients.flatMap((recipient) => refuseRecipient(recipient, question)),
  };
}

function isAllowedByAll(email: string, { recipientAllowlist, callerAllowlist = null }: KeyQuestion): boolean {
  return isAllowed(email, recipientAllowlist) && isAllowed(email, callerAllowlist);
}

function refuseRecipient(
  recipient: { readonly email: string; readonly kind: RecipientKind },
  question: AcceptanceQuestion,
): RefusedRecipient[] {
  const { email, kind } = recipient;
  if (!isAllowedByAll(email, question)) return [{ email, kind, code: 'recipient_not_allowed' }];
  return question.suppressed(foldAddress(email)) ? [{ email, kind, code: 'recipient_suppressed' }] : [];
}

function refusedRecipients(code: ErrorCode, recipients: readonly RefusedRecipient[]): Refusal {
  const because =
    code === 'recipient_not_allowed' ? 'not on the key’s recipient allowlist' : 'on the account’s suppression list';
  const names = recipients.filter((recipient) => recipient.code === code).map(({ email }) => email);
  return { code, detail: `${names.join(', ')}: ${because}. Nothing was sent to anyone.`, recipients };
}

function unverifiedDomain({ fromDomain: domain, unsendable }: AcceptanceQuestion): Refusal {
  const code = 'domain_not_verified';
  if (!unsendable) {
    return {
      code,
      detail: `${domain} is not a verified domain of this account. A subdomain counts as a separate domain.`,
      fix: `Send from a verified domain of the account or from the sandbox domain. To send from ${domain}, add it with ${nameOperation('domains.create')}, publish the returned DNS records (DKIM, SPF and the return path’s MX), and verify it.`,
    };
  }
  return { code, ...explainUnsendable(domain, unsendable) };
}

function explainUnsendable(domain: string, { id, because, missing }: UnsendableDomain): Omit<Refusal, 'code'> {
  const verify = nameOperation('domains.verify', { id });
  if (because === 'removed') {
    return {
      detail: `${domain} was removed from this account.`,
      fix: `Restore it and its DKIM keys with ${nameOperation('domains.restore', { id })}. If its DNS records are still published, it is verified within moments. Or send from another domain.`,
    };
  }
  if (because === 'held') {
    return {
      detail: `${domain} was a domain of this account, but another account of this server has proven that it owns the name.`,
      fix: `If you own the name, call ${verify}. It returns a TXT record: publish it and call ${verify} again to take the name back. Or send from another domain.`,
    };
  }
  const detail = `${domain} is a domain of this account, but it is not verified.`;
  if (missing.length === 0)
    return { detail, fix: `The last lookup found all its DNS records: verify it with ${verify}.` };
  const records = missing.map(
    ({ type, host, value, priority }) => `${type} ${host} ${priority === null ? '' : `${priority} `}${value}`,
  );
  return {
    detail,
    fix: `Publish these DNS records of ${domain}, then verify it with ${verify}: ${records.join(' | ')}`,
  };
}

function overQuota({ quotaLimit, quotaUsed, cost }: AcceptanceQuestion): Refusal {
  const left = Math.max(0, quotaLimit - quotaUsed);
  return {
    code: 'quota_exceeded',
    detail: `This send counts ${cost} recipient(s), and ${left} of the ${quotaLimit} this month are left.`,
    quota: { limit: quotaLimit, remaining: left },
  };
}
