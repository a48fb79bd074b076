import { foldAddress } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { readAcceptanceFacts } from '../db/queries/acceptance-facts.ts';
import { findKeyById } from '../db/queries/api-keys.ts';
import { adjustQuota, type HeldMessage } from '../db/queries/held-messages.ts';
import { toCaller } from '../keys/caller.ts';
import { type AcceptanceQuestion, checkAcceptance, type Refusal } from '../sending/acceptance.ts';
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

/** The hold's key is the one that asked for the send, and the message's key the one that it is sent under. */
interface HeldKeys {
  readonly accountId: string;
  readonly keyId: string;
}

type HeldFacts = Pick<HeldMessage, 'keyId' | 'fromDomain' | 'charged' | 'createdAt'>;

interface Settings {
  readonly sandboxDomain: string;
  readonly monthlyQuota: number;
}

/**
 * Repeats the acceptance check for the message as it will be sent, and charges it. The original charge stays, in the month of acceptance. Only
 * added recipients cost more, and a refused message costs nothing.
 */
export async function recheckAcceptance(
  transaction: Query,
  settings: Settings,
  hold: HeldKeys,
  held: HeldFacts,
  recipients: readonly Recipient[],
  now: Date,
): Promise<Recheck> {
  const { question, keyFault, cost, isTest } = await readHeldQuestion(
    transaction,
    settings,
    hold,
    held,
    recipients,
    now,
  );
  const verdict = checkAcceptance(question);
  const refusal = keyFault ?? (verdict.ok ? null : verdict);
  const charge = { accountId: hold.accountId, month: quotaMonth(held.createdAt), limit: question.quotaLimit };
  if (refusal === null && (await adjustQuota(transaction, { ...charge, units: cost - held.charged }))) {
    return { refusal: null, charged: cost, isTest };
  }
  await adjustQuota(transaction, { ...charge, units: -held.charged });
  return { refusal: refusal ?? QUOTA_TAKEN, charged: 0, isTest };
}

/** What the acceptance check asks about a held message, with the current rules of its keys. */
export interface HeldQuestion {
  readonly question: AcceptanceQuestion;
  /** Why its keys can no longer send it; null if they can. It comes before every other reason. */
  readonly keyFault: Refusal | null;
  /** The quota units of all recipients. */
  readonly cost: number;
  readonly isTest: boolean;
}

/** Reads the facts for the acceptance check of a held message. It changes nothing. */
export async function readHeldQuestion(
  query: Query,
  { sandboxDomain, monthlyQuota }: Settings,
  { accountId, keyId }: HeldKeys,
  held: HeldFacts,
  recipients: readonly Recipient[],
  now: Date,
): Promise<HeldQuestion> {
  const ids = [...new Set([keyId, held.keyId])];
  const rows = await Promise.all(ids.map((id) => findKeyById(query, accountId, id)));
  const callers = rows.flatMap((row) => (row === null ? [] : [toCaller(row)]));
  const [asking, issuing] = callers;
  const isTest = callers.some(({ mode }) => mode === 'test');
  const cost = isTest ? 0 : recipients.filter(({ email }) => !isSandboxAddress(email, sandboxDomain)).length;
  const sandboxSender = held.fromDomain === sandboxDomain;
  const facts = await readAcceptanceFacts(query, {
    ...{
      accountIds: [accountId],
      ...{ month: quotaMonth(held.createdAt), monthlyQuota },
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
  const question = {
    fromDomain: held.fromDomain,
    recipients,
    cost: Math.max(0, cost - held.charged),
    recipientAllowlist: asking?.recipientAllowlist ?? null,
    callerAllowlist: issuing?.recipientAllowlist ?? null,
    accountSuspended: account?.suspended !== false,
    pausedBy: asking?.pausedBy ?? issuing?.pausedBy ?? null,
    domainVerified: sandboxSender || facts.verifiedDomains.length > 0,
    suppressed: (email: string) => suppressed.has(email),
    quotaLimit: account?.quota ?? 0,
    quotaUsed: account?.used ?? 0,
  };
  // The process that revoked the key may have a clock ahead of this one, so a revocation time in the future counts too.
  const isRevoked = callers.length < ids.length || callers.some(({ revokedAt }) => revokedAt !== null);
  return { question, keyFault: isRevoked ? KEY_REVOKED : null, cost, isTest };
}

const KEY_REVOKED: Refusal = { code: 'issuing_key_revoked', detail: 'The key that sent this message was revoked.' };
/** Other sends used the quota between the check and the charge. */
const QUOTA_TAKEN: Refusal = {
  code: 'quota_exceeded',
  detail: 'The recipients that were added exceed what is left of the monthly quota.',
};
