import { type ApprovalDecision, nameOperation } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { readAcceptanceFacts } from '../db/queries/acceptance-facts.ts';
import { findKeyById } from '../db/queries/api-keys.ts';
import { failedItemsOf } from '../db/queries/failed-items.ts';
import { chargeSends } from '../db/queries/insert-sends.ts';
import type { Caller } from '../keys/caller.ts';
import type { Refusal } from '../sending/acceptance.ts';
import { isAllowed } from '../sending/allowlist.ts';
import { idempotencyHorizon } from '../sending/batch-facts.ts';
import { toKeyRules } from '../sending/key-rules.ts';
import { quotaMonth } from '../sending/quota.ts';
import { collectRecipients, type Recipient } from '../sending/recipients.ts';
import {
  type CountedLimit,
  chargesOf,
  checkSendLimit,
  limitsOf,
  periodStart,
  refuseByLimit,
} from '../sending/send-limits.ts';
import { hasUnknownHeldRecipients, knows, UNKNOWN_RECIPIENTS } from '../visibility/known-parts.ts';
import { viewerOf } from '../visibility/viewer.ts';

/** The hold to decide and its message. */
interface Decided {
  readonly hold: { readonly keyId: string };
  readonly held: { readonly keyId: string };
  readonly recipients: readonly Recipient[];
}

/** Whether a key may approve this message, and the limits that the approval counts toward. */
export interface DeciderVerdict {
  /** Why it may not; null if it may. */
  readonly refusal: Refusal | null;
  readonly limits: readonly CountedLimit[];
}

/**
 * Judges a key that approves a message. The restrictions on the key's own sends apply, because approving also sends mail, and edits are the
 * decider's own content. `countApproval` counts an allowed approval against the key's send limits. Users have no such limits.
 * @param caller null for a link in a mail, which a user opens
 */
export async function judgeDecider(
  query: Query,
  caller: Caller | null,
  { hold, held, recipients }: Decided,
): Promise<DeciderVerdict> {
  if (caller === null) return { refusal: null, limits: [] };
  const { accountId, keyId } = caller;
  const ids = [...new Set([keyId, hold.keyId, held.keyId])];
  const rows = await Promise.all(ids.map((id) => findKeyById(query, accountId, id)));
  const [own, ...senders] = rows.map((row) => (row === null ? null : { keyId: row.keyId, ...toKeyRules(row) }));
  if (!own) return { refusal: null, limits: [] };
  if (own.pausedBy === 'key') return { refusal: PAUSED, limits: [] };
  if (own.recipientAllowlist !== null && hasUnknownHeldRecipients(viewerOf(caller), held.keyId, recipients)) {
    return { refusal: UNKNOWN_RECIPIENTS, limits: [] };
  }
  const beyond = recipients.filter(({ email }) => !isAllowed(email, own.recipientAllowlist));
  if (beyond.length > 0) {
    const isKnown = knows(viewerOf(caller), 'hold.content', held.keyId);
    return { refusal: isKnown ? notAllowed(beyond) : NOT_ALLOWED, limits: [] };
  }
  // A limit that counted the message when the send was accepted does not count it again.
  const counted = new Set(
    senders.flatMap((sender) => (sender === null ? [] : limitsOf(sender))).map((limit) => limit.keyId),
  );
  return { refusal: null, limits: limitsOf(own).filter((limit) => !counted.has(limit.keyId)) };
}

/**
 * Why a caller may not make these edits. A key that may not read the hold could otherwise send the message to itself, or find out who its
 * recipients are. Only recipients that the edits name are judged.
 */
export function refuseUnreadEdits(
  caller: Caller | null,
  held: Decided['held'],
  edits: ApprovalDecision['edits'],
): Refusal | null {
  const { to, cc, bcc } = edits ?? {};
  const redirects = to !== undefined || cc !== undefined || bcc !== undefined;
  if (!redirects || caller === null || knows(viewerOf(caller), 'hold.content', held.keyId)) return null;
  const named = collectRecipients({ to: to ?? [], cc: cc ?? [], bcc: bcc ?? [] });
  const beyond = named.filter(({ email }) => !isAllowed(email, caller.recipientAllowlist));
  return beyond.length > 0 ? notAllowed(beyond) : UNREAD;
}

const UNREAD: Refusal = {
  code: 'missing_scope',
  detail: 'The calling key may not read this held send, so it may not change its recipients.',
  fix: 'Decide without `to`, `cc` and `bcc` in `edits`, or use a key that also has the scope `approvals:read`.',
};

/** Returns why a key could not approve this message now, or null if it could. It counts nothing. */
export async function foreseeDecider(
  query: Query,
  caller: Caller,
  decided: Decided,
  now: Date,
): Promise<Refusal | null> {
  const { accountId } = caller;
  const { refusal, limits } = await judgeDecider(query, caller, decided);
  if (refusal !== null || limits.length === 0) return refusal;
  const { sent } = await readAcceptanceFacts(query, {
    ...{
      accountIds: [],
      domains: [],
      recipients: [],
      idempotencyKeys: [],
      month: quotaMonth(now),
      monthlyQuota: 0,
      now,
    },
    limitedKeys: limits.map(({ keyId: value }) => ({ accountId, value })),
    ...{ hourStart: periodStart('hour', now), dayStart: periodStart('day', now) },
    idempotencyHorizon: idempotencyHorizon(now),
  });
  const sentBy = (keyId: string, period: string) =>
    sent.find((fact) => fact.keyId === keyId && fact.period === period)?.sends ?? 0;
  for (const limit of limits) {
    const counts = { hour: sentBy(limit.keyId, 'hour'), day: sentBy(limit.keyId, 'day') };
    const fault = checkSendLimit(limit, counts, now);
    if (fault !== null) return asApproval(fault);
  }
  return null;
}

/** A send limit of the deciding key is used up. Thrown so that the transaction rolls back the decision. */
export class ApprovalLimitError extends Error {
  override readonly name = 'ApprovalLimitError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

/**
 * Counts an approval. Called after the quota is charged: acceptance locks the counters in this order too, so that neither waits for the other
 * for ever.
 * @throws ApprovalLimitError
 */
export async function countApproval(
  transaction: Query,
  accountId: string,
  limits: readonly CountedLimit[],
  now: Date,
): Promise<void> {
  const counted = limits.flatMap((limit) => chargesOf(accountId, limit, [0], now).map((charge) => ({ limit, charge })));
  // Here each item is one limit in one period, so that the error names the exceeded ones.
  const charges = counted.map(({ charge }, item) => ({ ...charge, items: [item] }));
  try {
    await chargeSends(transaction, charges);
  } catch (error) {
    const failed = failedItemsOf(error);
    if (failed === null) throw error;
    const named = new Set(failed.map(({ item }) => item));
    const beyond = counted.filter((_, item) => named.has(item));
    // If both the hour and the day are exceeded, the longer wait is reported, as for a send.
    const last = beyond.findLast(({ limit }) => limit === beyond[0]?.limit);
    if (last === undefined) throw error;
    const refusal = refuseByLimit(last.limit, last.charge.period, now);
    throw new ApprovalLimitError(asApproval(refusal));
  }
}

function asApproval(refusal: Refusal): Refusal {
  return { ...refusal, detail: `${refusal.detail} An approval counts as a send.` };
}

const PAUSED: Refusal = {
  code: 'sending_paused',
  detail: 'The calling key is paused and cannot approve.',
  fix: `Resume the key with ${nameOperation('keys.resume')}, or ask a user to decide.`,
};

/** For callers that may not read the held send: the refusal must not name its recipients. */
const NOT_ALLOWED: Refusal = {
  code: 'recipient_not_allowed',
  detail: 'A recipient is not on the recipient allowlist of the calling key. The send is still held.',
  fix: 'Ask a user to decide this send, or use a key that may send to its recipients.',
};

function notAllowed(recipients: readonly Recipient[]): Refusal {
  const code = 'recipient_not_allowed';
  const names = recipients.map(({ email }) => email).join(', ');
  return {
    code,
    detail: `${names}: not on the recipient allowlist of the calling key. The send is still held.`,
    fix: 'Ask a user to decide this send, or use a key that may send to these recipients.',
    recipients: recipients.map(({ email, kind }) => ({ email, kind, code })),
  };
}
