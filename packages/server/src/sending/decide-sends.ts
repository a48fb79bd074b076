import type { IdGenerator } from '../uuid-v7.ts';
import { checkAcceptance, type Refusal } from './acceptance.ts';
import { type BatchFacts, questionOf } from './batch-facts.ts';
import { createHoldLedger, type HoldLedger, NO_HOLD_FACTS } from './hold-ledger.ts';
import { checkIdempotency, IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED } from './idempotency.ts';
import { callingKeyOf } from './judging-keys.ts';
import { keyFaultOf } from './key-state.ts';
import { costOf, type ParsedSend } from './parsed-send.ts';
import { createQuotaLedger, type QuotaLedger } from './quota-ledger.ts';
import { createSendLedger, type SendLedger } from './send-ledger.ts';
import { acceptedStatus, type HeldSend, type SendVerdict, toHeldSend } from './send-verdict.ts';
import type { WithdrawnSends } from './withdrawn-sends.ts';

/** A send with what the rules decided about it. */
export type DecidedSend =
  | (Refusal & { readonly kind: 'refused' })
  | {
      readonly kind: 'accepted';
      readonly send: ParsedSend;
      /** The index in the batch of parsed sends. */
      readonly place: number;
      readonly id: string;
      /** True for a repeated request, which is not written again. */
      readonly replayed: boolean;
      /** How it is held; null if nothing holds it. */
      readonly hold: HeldSend | null;
      /** Quota units. */
      readonly cost: number;
      /** What the batch had charged the account when this send was decided, including this send. */
      readonly charged: number;
    };

export type AcceptedSend = Extract<DecidedSend, { readonly kind: 'accepted' }>;

export interface DecidedBatch {
  readonly decisions: readonly DecidedSend[];
  /** The sends that must be written, in the order in which they were counted. */
  readonly accepted: readonly AcceptedSend[];
  readonly quota: QuotaLedger;
  readonly sent: SendLedger;
}

/** The sends whose facts are known, by their index. */
export interface KnownSends {
  readonly asked: ReadonlySet<number>;
  readonly facts: BatchFacts;
}

interface DecidingOptions {
  readonly ids: IdGenerator;
  readonly sandboxDomain: string;
}

/**
 * Decides each send of a batch, in order. The rules judge the sends whose facts are known; the accepting statement checks all others
 * itself, so nothing is assumed about them here.
 * @param known null if no facts were read
 */
export function decideSends(
  sends: readonly ParsedSend[],
  known: KnownSends | null,
  { ids, sandboxDomain }: DecidingOptions,
  now: Date,
  withdrawn: WithdrawnSends,
): DecidedBatch {
  const ledgers: Ledgers = {
    quota: createQuotaLedger(known?.facts.accounts.values() ?? []),
    sent: createSendLedger(known?.facts.sent ?? [], now),
    holds: createHoldLedger(known?.facts.holds ?? NO_HOLD_FACTS, now),
    takenKeys: new Set(),
  };
  const { quota, sent, holds, takenKeys } = ledgers;
  const accepted: AcceptedSend[] = [];
  const decisions = sends.map((send, place): DecidedSend => {
    const { sender } = send;
    const facts = known?.asked.has(place) === true ? known.facts : null;
    const cost = costOf(send, sandboxDomain);
    const repeated = facts === null ? null : decideRepeated(send, place, facts, ledgers);
    if (repeated !== null) return repeated;
    const refusal =
      withdrawn.refusalOf(send) ?? (facts === null ? null : judge(send, cost, facts, ledgers, sandboxDomain, now));
    if (refusal !== null) return { kind: 'refused', ...refusal };
    const held = facts === null ? null : holds.holdOf(send);
    const fault = held === null ? null : holds.faultOf(send, cost, quota.usageOf(sender.accountId).limit);
    if (fault !== null) return { kind: 'refused', ...fault };
    if (held !== null) holds.count(send, cost);
    const hold = held === null ? null : { approvalId: ids.next(now), ...held };
    const charged = quota.charge(sender.accountId, cost);
    sent.count(sender, accepted.length);
    if (send.idempotency !== null) takenKeys.add(idempotencyNameOf(send));
    const decided = { kind: 'accepted', send, place, id: ids.next(now), replayed: false, hold, cost, charged } as const;
    accepted.push(decided);
    return decided;
  });
  return { decisions, accepted, quota, sent };
}

/** What the caller receives after the batch was written. */
export function toVerdicts({ decisions, quota }: DecidedBatch): readonly SendVerdict[] {
  return decisions.map((decided): SendVerdict => {
    if (decided.kind === 'refused') return decided;
    const { kind, send, id, replayed, hold, charged } = decided;
    const left = quota.stateAt(send.sender.accountId, charged);
    return { kind, id, status: acceptedStatus(hold), hold, replayed, quota: left };
  });
}

/** The name of a send's idempotency key, which belongs to the key of the caller. */
export function idempotencyNameOf({ sender, idempotency }: ParsedSend): string {
  return `${callingKeyOf(sender).keyId} ${idempotency?.key ?? ''}`;
}

/** The counters that change from send to send of a batch. */
interface Ledgers {
  readonly quota: QuotaLedger;
  readonly sent: SendLedger;
  readonly holds: HoldLedger;
  /** Idempotency keys of accepted sends. */
  readonly takenKeys: Set<string>;
}

/** The decision for a send whose idempotency key was used before; null for any other send. */
function decideRepeated(
  send: ParsedSend,
  place: number,
  facts: BatchFacts,
  { quota, takenKeys }: Ledgers,
): DecidedSend | null {
  const { idempotency } = send;
  if (idempotency === null) return null;
  const name = idempotencyNameOf(send);
  if (takenKeys.has(name)) return { kind: 'refused', ...IDEMPOTENCY_IN_PROGRESS };
  const stored = checkIdempotency(facts.idempotency.get(name), idempotency.fingerprint);
  if (stored.kind === 'new') return null;
  if (stored.kind === 'reused') return { kind: 'refused', ...IDEMPOTENCY_KEY_REUSED };
  const charged = quota.charge(send.sender.accountId, 0);
  const hold = toHeldSend(stored.hold);
  return { kind: 'accepted', send, place, id: stored.messageId, replayed: true, hold, cost: 0, charged };
}

/** Why the rules refuse a send; null if they do not. */
function judge(
  send: ParsedSend,
  cost: number,
  facts: BatchFacts,
  { quota, sent }: Ledgers,
  sandboxDomain: string,
  now: Date,
): Refusal | null {
  const { sender } = send;
  const question = questionOf(send, facts, {
    ...{ sandboxDomain, cost, quota: quota.usageOf(sender.accountId) },
    sendLimitFault: sent.faultOf(sender),
    keyFault: keyFaultOf(send, facts, now),
  });
  const verdict = checkAcceptance(question);
  return verdict.ok ? null : verdict;
}
