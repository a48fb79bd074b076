import { type ErrorCode, foldAddress, type RecipientKind, type RefusedRecipient } from '@postrider/core';
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
}

/**
 * The acceptance check every recipient of every send passes, whatever the path: account, sending domain, the key's allowlist, the
 * suppression list, the monthly quota. One failing recipient refuses the whole send, and all that fail are named.
 */
export function checkAcceptance(question: AcceptanceQuestion): AcceptanceVerdict {
  if (question.accountSuspended) return { ok: false, code: 'account_suspended', detail: 'The account is suspended.' };
  if (!question.domainVerified) return unverifiedDomain(question.fromDomain);
  const refused = question.recipients.flatMap((recipient) => refuseRecipient(recipient, question));
  const first = refused[0];
  if (first !== undefined) return refusedRecipients(first.code, refused);
  // What costs nothing is no matter of the quota, also where that was lowered below what has been used.
  if (question.cost > 0 && question.quotaUsed + question.cost > question.quotaLimit) return overQuota(question);
  return { ok: true };
}

function refuseRecipient(
  recipient: { readonly email: string; readonly kind: RecipientKind },
  question: AcceptanceQuestion,
): RefusedRecipient[] {
  const { email, kind } = recipient;
  if (!isAllowed(email, question.recipientAllowlist)) return [{ email, kind, code: 'recipient_not_allowed' }];
  return question.suppressed(foldAddress(email)) ? [{ email, kind, code: 'recipient_suppressed' }] : [];
}

function refusedRecipients(code: ErrorCode, recipients: readonly RefusedRecipient[]): AcceptanceVerdict {
  const because =
    code === 'recipient_not_allowed' ? 'not on the key’s recipient allowlist' : 'on the account’s suppression list';
  const names = recipients.filter((recipient) => recipient.code === code).map(({ email }) => email);
  return { ok: false, code, detail: `${names.join(', ')}: ${because}. Nothing was sent to anyone.`, recipients };
}

function unverifiedDomain(domain: string): AcceptanceVerdict {
  return {
    ok: false,
    code: 'domain_not_verified',
    detail: `${domain} is not a verified domain of this account (subdomains are domains of their own).`,
    fix: `Send from a domain that the account has verified, or from the sandbox domain. To verify ${domain}, its DKIM (TXT), SPF (TXT) and return-path MX records must be published.`,
  };
}

function overQuota({ quotaLimit, quotaUsed, cost }: AcceptanceQuestion): AcceptanceVerdict {
  const left = Math.max(0, quotaLimit - quotaUsed);
  return {
    ok: false,
    code: 'quota_exceeded',
    detail: `This send counts ${cost} recipient(s), and ${left} of the ${quotaLimit} this month are left.`,
  };
}
