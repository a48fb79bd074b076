import {
  type ErrorCode,
  type FieldProblem,
  foldAddress,
  type RecipientKind,
  type RefusedRecipient,
} from '@postrider/core';
import { isAllowed } from './allowlist.ts';

/** What the rules need to know about one send and the account behind it. */
export interface AcceptanceQuestion {
  readonly fromDomain: string;
  readonly recipients: readonly { readonly email: string; readonly kind: RecipientKind }[];
  /** Quota units: recipients that leave the installation. */
  readonly cost: number;
  readonly recipientAllowlist: readonly string[] | null;
  readonly accountSuspended: boolean;
  readonly domainVerified: boolean;
  readonly suppressed: (email: string) => boolean;
  readonly quotaLimit: number;
  readonly quotaUsed: number;
}

export type AcceptanceVerdict = { readonly ok: true } | (Refusal & { readonly ok: false });

/** Why a send is refused: a code of the catalogue, and what is special about this case. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly fix?: string;
  readonly recipients?: readonly RefusedRecipient[];
  /** The fields at fault, where it is the fault of some. */
  readonly errors?: readonly FieldProblem[];
}

/**
 * The acceptance check every recipient of every send passes, whatever the path: account, sending domain, the key's allowlist, the
 * suppression list, the monthly quota. One failing recipient refuses the whole send, and all that fail are named.
 */
export function checkAcceptance(question: AcceptanceQuestion): AcceptanceVerdict {
  if (question.accountSuspended) return { ok: false, ...ACCOUNT_SUSPENDED };
  if (!question.domainVerified) return { ok: false, ...unverifiedDomain(question.fromDomain) };
  const refused = question.recipients.flatMap((recipient) => refuseRecipient(recipient, question));
  const first = refused[0];
  if (first !== undefined) return { ok: false, ...refusedRecipients(first.code, refused) };
  // What costs nothing is no matter of the quota, also where that was lowered below what has been used.
  if (question.cost > 0 && question.quotaUsed + question.cost > question.quotaLimit) {
    return { ok: false, ...overQuota(question) };
  }
  return { ok: true };
}

const ACCOUNT_SUSPENDED: Refusal = { code: 'account_suspended', detail: 'The account is suspended.' };

/** What each rule says by itself; null where it has nothing against the send. */
export interface AcceptanceFindings {
  readonly account: Refusal | null;
  readonly domain: Refusal | null;
  readonly allowlist: Refusal | null;
  readonly suppression: Refusal | null;
  readonly quota: Refusal | null;
  /** Whom a send would be refused for, with the reason it would tell. */
  readonly refused: readonly RefusedRecipient[];
}

/** The same check without an end at the first failure: every rule is asked, as a dry run tells them. */
export function examineAcceptance(question: AcceptanceQuestion): AcceptanceFindings {
  const each = (rule: (email: string) => boolean, code: RefusedRecipient['code']) =>
    question.recipients.filter(({ email }) => rule(email)).map(({ email, kind }) => ({ email, kind, code }));
  const notAllowed = each((email) => !isAllowed(email, question.recipientAllowlist), 'recipient_not_allowed');
  const suppressed = each((email) => question.suppressed(foldAddress(email)), 'recipient_suppressed');
  const overdrawn = question.cost > 0 && question.quotaUsed + question.cost > question.quotaLimit;
  return {
    account: question.accountSuspended ? ACCOUNT_SUSPENDED : null,
    domain: question.domainVerified ? null : unverifiedDomain(question.fromDomain),
    allowlist: notAllowed.length > 0 ? refusedRecipients('recipient_not_allowed', notAllowed) : null,
    suppression: suppressed.length > 0 ? refusedRecipients('recipient_suppressed', suppressed) : null,
    quota: overdrawn ? overQuota(question) : null,
    refused: question.recipients.flatMap((recipient) => refuseRecipient(recipient, question)),
  };
}

function refuseRecipient(
  recipient: { readonly email: string; readonly kind: RecipientKind },
  question: AcceptanceQuestion,
): RefusedRecipient[] {
  const { email, kind } = recipient;
  if (!isAllowed(email, question.recipientAllowlist)) return [{ email, kind, code: 'recipient_not_allowed' }];
  return question.suppressed(foldAddress(email)) ? [{ email, kind, code: 'recipient_suppressed' }] : [];
}

function refusedRecipients(code: ErrorCode, recipients: readonly RefusedRecipient[]): Refusal {
  const because =
    code === 'recipient_not_allowed' ? 'not on the key’s recipient allowlist' : 'on the account’s suppression list';
  const names = recipients.filter((recipient) => recipient.code === code).map(({ email }) => email);
  return { code, detail: `${names.join(', ')}: ${because}. Nothing was sent to anyone.`, recipients };
}

function unverifiedDomain(domain: string): Refusal {
  return {
    code: 'domain_not_verified',
    detail: `${domain} is not a verified domain of this account (subdomains are domains of their own).`,
    fix: `Send from a domain that the account has verified, or from the sandbox domain. To verify ${domain}, its DKIM (TXT), SPF (TXT) and return-path MX records must be published.`,
  };
}

function overQuota({ quotaLimit, quotaUsed, cost }: AcceptanceQuestion): Refusal {
  const left = Math.max(0, quotaLimit - quotaUsed);
  return {
    code: 'quota_exceeded',
    detail: `This send counts ${cost} recipient(s), and ${left} of the ${quotaLimit} this month are left.`,
  };
}
