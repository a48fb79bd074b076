import { foldAddress } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { readAcceptanceFacts } from '../db/queries/acceptance-facts.ts';
import { findKeyById } from '../db/queries/api-keys.ts';
import type { LockedApproval } from '../db/queries/approval-decisions.ts';
import { adjustQuota, type HeldMessage } from '../db/queries/held-messages.ts';
import { toCaller } from '../keys/caller.ts';
import { checkAcceptance, type Refusal } from '../sending/acceptance.ts';
import { idempotencyHorizon } from '../sending/batch-facts.ts';
import { isSandboxAddress } from '../sending/plan-deliveries.ts';
import { quotaMonth } from '../sending/quota.ts';
import type { Recipient } from '../sending/recipients.ts';

export interface Recheck {
  /** Why the message may no longer be sent; null if it may. */
  readonly refusal: Refusal | null;
  /** The quota units that the message is charged from now on. */
  readonly charged: number;
  /** Whether the message comes from a test key. */
  readonly isTest: boolean;
}

/**
 * Repeats the acceptance check for the message as it will be sent, with the current rules of the key that asked for it and of the key it is
 * sent under. The original charge stays, in the month of acceptance. Only added recipients cost more, and a refused message costs nothing.
 */
export async function recheckAcceptance(
  transaction: Query,
  { sandboxDomain, monthlyQuota }: { readonly sandboxDomain: string; readonly monthlyQuota: number },
  { accountId, keyId }: LockedApproval,
  held: HeldMessage,
  recipients: readonly Recipient[],
  now: Date,
): Promise<Recheck> {
  const ids = [...new Set([keyId, held.keyId])];
  const rows = await Promise.all(ids.map((id) => findKeyById(transaction, accountId, id)));
  const callers = rows.flatMap((row) => (row === null ? [] : [toCaller(row)]));
  const [asking, issuing] = callers;
  const isTest = callers.some(({ mode }) => mode === 'test');
  const cost = isTest ? 0 : recipients.filter(({ email }) => !isSandboxAddress(email, sandboxDomain)).length;
  const month = quotaMonth(held.createdAt);
  const sandboxSender = held.fromDomain === sandboxDomain;
  const facts = await readAcceptanceFacts(transaction, {
    ...{
      accountIds: [accountId],
      ...{ month, monthlyQuota },
      now,
      hourStart: now,
      dayStart: now,
      idempotencyHorizon: idempotencyHorizon(now),
    },
    domains: sandboxSender ? [] : [{ accountId, value: held.fromDomain }],
    recipients: recipients.map(({ email }) => ({ accountId, value: foldAddress(email) })),
    ...{ idempotencyKeys: [], limitedKeys: [] },
  });
  const [account] = facts.accounts;
  const suppressed = new Set(facts.suppressed.map(({ value }) => value));
  const limit = account?.quota ?? 0;
  const more = cost - held.charged;
  const verdict = checkAcceptance({
    fromDomain: held.fromDomain,
    recipients,
    cost: Math.max(0, more),
    recipientAllowlist: asking?.recipientAllowlist ?? null,
    callerAllowlist: issuing?.recipientAllowlist ?? null,
    accountSuspended: account?.suspended !== false,
    pausedBy: asking?.pausedBy ?? issuing?.pausedBy ?? null,
    domainVerified: sandboxSender || facts.verifiedDomains.length > 0,
    suppressed: (email) => suppressed.has(email),
    quotaLimit: limit,
    quotaUsed: account?.used ?? 0,
  });
  // The process that revoked the key may have a clock ahead of this one, so a revocation time in the future counts too.
  const isRevoked = callers.length < ids.length || callers.some(({ revokedAt }) => revokedAt !== null);
  const charge = { accountId, month, limit };
  const refusal = isRevoked ? KEY_REVOKED : verdict.ok ? null : verdict;
  if (refusal === null && (await adjustQuota(transaction, { ...charge, units: more }))) {
    return { refusal: null, charged: cost, isTest };
  }
  await adjustQuota(transaction, { ...charge, units: -held.charged });
  return { refusal: refusal ?? QUOTA_TAKEN, charged: 0, isTest };
}

const KEY_REVOKED: Refusal = { code: 'issuing_key_revoked', detail: 'The key that sent this message was revoked.' };
/** Other sends used the quota between the check and the charge. */
const QUOTA_TAKEN: Refusal = {
  code: 'quota_exceeded',
  detail: 'The recipients that were added exceed what is left of the monthly quota.',
};
