import { announceHolds, type MadeHold } from '../approvals/holds/announce-holds.ts';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { failedItemsOf } from '../db/queries/failed-items.ts';
import type { HoldRow } from '../db/queries/insert-holds.ts';
import {
  type AccountCharge,
  insertMessages,
  type NewMessage,
  type QuotaUsage,
  type SenderFact,
} from '../db/queries/insert-messages.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { checkAcceptance, checkKeyRules, type Refusal } from './acceptance.ts';
import {
  type BatchFacts,
  idempotencyHorizon,
  keyQuestionOf,
  questionOf,
  readBatchFacts,
  type Unsendable,
} from './batch-facts.ts';
import { acceptedStatus, toHeldSend } from './held-send.ts';
import { createHoldLedger, type HoldLedger, NO_HOLD_FACTS } from './hold-ledger.ts';
import { checkIdempotency, IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED } from './idempotency.ts';
import { callingKeyOf, judgesOf, mayBeHeld } from './judging-keys.ts';
import { hasChanged, keyFaultOf, withPresentRules } from './key-state.ts';
import { toNewHold } from './new-hold.ts';
import { type PreparedSend, prepareSend, type Routing, toNewMessage } from './prepare-send.ts';
import { quotaMonth } from './quota.ts';
import { createQuotaLedger, type QuotaLedger } from './quota-ledger.ts';
import type { HeldSend, JudgingKey, SendCommand, SendVerdict } from './send-command.ts';
import { createSendLedger, type SendLedger } from './send-ledger.ts';
import { createWithdrawnSends, WithdrawnError, type WithdrawnSends } from './withdrawn-sends.ts';

export interface AcceptanceOptions extends Routing {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Lets a refusal name the records that are missing. */
  readonly unsendable?: Unsendable;
  /** The monthly quota of accounts that have none of their own. */
  readonly monthlyQuota: number;
}

/** Each round settles at least one of those who race for the same key or the last of a quota, so few rounds are ever needed. */
const MAX_ROUNDS = 20;

/** What a batch came to. */
export interface AcceptedBatch {
  readonly verdicts: readonly SendVerdict[];
  /** Whether everything could be written without asking for facts. */
  readonly unquestioned: boolean;
}

/**
 * The only way in: every send of every path, one or a hundred, is accepted here. One statement writes the whole batch, all or nothing, and
 * checks the rules itself. Where it refuses, it names the sends at fault; the facts about those are read, the rules decide each of them once
 * with its facts, and what is left is written the same way. Every command gets its own verdict, in order; one that is refused never touches
 * its neighbours.
 * @param first `write` to try without asking; `ask` where many are refused lately and asking first saves a statement.
 * @throws database errors, when nothing of the batch was accepted.
 */
export async function acceptMessages(
  options: AcceptanceOptions,
  commands: readonly SendCommand[],
  first: 'write' | 'ask' = 'write',
): Promise<AcceptedBatch> {
  const now = options.clock.now();
  let sends = commands.map((command) => prepareSend(command, options));
  const withdrawn = createWithdrawnSends();
  const asked = new Set(first === 'ask' ? commands.keys() : findDoubtful(sends));
  let unquestioned = true;
  for (let round = 1; ; round += 1) {
    let facts: BatchFacts | null = null;
    if (asked.size > 0) {
      unquestioned = false;
      const doubtful = sends.filter((_, place) => asked.has(place));
      facts = await readBatchFacts(options.sql, doubtful, now, options);
      const renewed = renewSends(sends, facts, options);
      if (renewed !== null) {
        // What was asked followed from rules that hold no more.
        sends = renewed;
        for (const place of findDoubtful(sends)) asked.add(place);
        if (round < MAX_ROUNDS) continue;
      }
    }
    const decided = decideBatch(sends, facts === null ? null : { asked, facts }, options, now, withdrawn);
    if (decided.accepted.length === 0) return { verdicts: toVerdicts(decided), unquestioned };
    try {
      decided.ledger.settle(await write(options, decided, now, withdrawn));
      return { verdicts: toVerdicts(decided), unquestioned };
    } catch (error) {
      if (error instanceof WithdrawnError && round < MAX_ROUNDS) continue;
      const failed = failedItemsOf(error);
      if ((failed === null && classifyDatabaseError(error) !== 'conflict') || round === MAX_ROUNDS) throw error;
      for (const { item } of failed ?? []) {
        const place = decided.accepted[item]?.place;
        if (place !== undefined) asked.add(place);
      }
    }
  }
}

/**
 * The places of sends that are not written without asking: those that may be held, those that their keys object to, whose refusal may have a
 * reason of a higher rank, and those that share an idempotency key with one before them.
 */
function findDoubtful(sends: readonly PreparedSend[]): readonly number[] {
  const keys = new Set<string>();
  return sends.flatMap((send, place) => {
    const isRepeated = send.command.idempotency !== null && keys.has(keyOf(send));
    if (send.command.idempotency !== null) keys.add(keyOf(send));
    return isRepeated || mayBeHeld(send.command) || checkKeyRules(keyQuestionOf(send)) !== null ? [place] : [];
  });
}

/** The sends by the rules that their keys have now; null where those are the rules they were judged by. */
function renewSends(
  sends: readonly PreparedSend[],
  { keys }: BatchFacts,
  options: AcceptanceOptions,
): PreparedSend[] | null {
  const isOutdated = ({ command }: PreparedSend) => judgesOf(command).some((key) => hasChanged(key, keys));
  if (!sends.some(isOutdated)) return null;
  return sends.map((send) => (isOutdated(send) ? prepareSend(withPresentRules(send.command, keys), options) : send));
}

interface DecidedBatch {
  readonly decisions: readonly Decision[];
  readonly accepted: readonly AcceptedSend[];
  readonly ledger: QuotaLedger;
  readonly sent: SendLedger;
}

interface AcceptedSend {
  /** In the batch of commands. */
  readonly place: number;
  readonly send: PreparedSend;
  readonly id: string;
  readonly hold: HeldSend | null;
}

type Decision =
  | (Refusal & { readonly kind: 'refused' })
  | {
      readonly kind: 'accepted';
      readonly id: string;
      readonly replayed: boolean;
      readonly hold: HeldSend | null;
      readonly accountId: string;
      /** What this batch had charged the account when this send was decided. */
      readonly charged: number;
    };

/** The sends whose facts are known, by their places. */
interface KnownSends {
  readonly asked: ReadonlySet<number>;
  readonly facts: BatchFacts;
}

/** @param known null where facts were read of no send: the statement decides on all others. */
function decideBatch(
  sends: readonly PreparedSend[],
  known: KnownSends | null,
  options: AcceptanceOptions,
  now: Date,
  withdrawn: WithdrawnSends,
): DecidedBatch {
  const ledger = createQuotaLedger(known?.facts.accounts.values() ?? []);
  const sent = createSendLedger(known?.facts.sent ?? [], now);
  const holds = createHoldLedger(known?.facts.holds ?? NO_HOLD_FACTS, now);
  const takenKeys = new Set<string>();
  const accepted: AcceptedSend[] = [];
  const decisions = sends.map((send, place): Decision => {
    const { accountId } = send.command;
    const facts = known?.asked.has(place) === true ? known.facts : null;
    const early = facts === null ? null : decideIdempotency(send, facts, takenKeys, ledger);
    if (early !== null) return early;
    const refusal =
      withdrawn.refusalOf(send.command) ?? (facts === null ? null : decideAcceptance(send, facts, ledger, sent, now));
    if (refusal !== null) return { kind: 'refused', ...refusal };
    const held = facts === null ? null : decideHold(send, holds, options, ledger.usageOf(accountId).limit, now);
    if (held !== null && 'code' in held) return { kind: 'refused', ...held };
    const charged = ledger.charge(accountId, send.cost);
    sent.count(send.command, accepted.length);
    takenKeys.add(keyOf(send));
    const id = options.ids.next(now);
    accepted.push({ place, send, id, hold: held });
    return { kind: 'accepted', id, replayed: false, hold: held, accountId, charged };
  });
  return { decisions, accepted, ledger, sent };
}

function toVerdicts({ decisions, ledger }: DecidedBatch): readonly SendVerdict[] {
  return decisions.map((decision): SendVerdict => {
    if (decision.kind === 'refused') return decision;
    const { kind, id, replayed, hold, accountId, charged } = decision;
    return { kind, id, status: acceptedStatus(hold), hold, replayed, quota: ledger.stateAt(accountId, charged) };
  });
}

function decideIdempotency(
  send: PreparedSend,
  facts: BatchFacts,
  takenKeys: ReadonlySet<string>,
  ledger: QuotaLedger,
): Decision | null {
  const { idempotency, accountId } = send.command;
  if (idempotency === null) return null;
  if (takenKeys.has(keyOf(send))) {
    return { kind: 'refused', ...IDEMPOTENCY_IN_PROGRESS };
  }
  const verdict = checkIdempotency(facts.idempotency.get(keyOf(send)), idempotency.fingerprint);
  if (verdict.kind === 'new') return null;
  if (verdict.kind === 'reused') {
    return { kind: 'refused', ...IDEMPOTENCY_KEY_REUSED };
  }
  return {
    kind: 'accepted',
    id: verdict.messageId,
    replayed: true,
    hold: toHeldSend(verdict.hold),
    accountId,
    charged: ledger.charge(accountId, 0),
  };
}

/** How the send is held; the refusal of one that would have to be and cannot; null where nothing holds it. */
function decideHold(
  send: PreparedSend,
  holds: HoldLedger,
  { ids }: AcceptanceOptions,
  monthlyQuota: number,
  now: Date,
): HeldSend | Refusal | null {
  const verdict = holds.holdOf(send);
  if (verdict === null) return null;
  const fault = holds.faultOf(send, monthlyQuota);
  if (fault !== null) return fault;
  holds.count(send);
  return { approvalId: ids.next(now), ...verdict };
}

function decideAcceptance(
  send: PreparedSend,
  facts: BatchFacts,
  ledger: QuotaLedger,
  sent: SendLedger,
  now: Date,
): Refusal | null {
  const quota = ledger.usageOf(send.command.accountId);
  const keyFault = keyFaultOf(send.command, facts, now);
  const verdict = checkAcceptance(questionOf(send, facts, quota, sent.faultOf(send.command), keyFault));
  return verdict.ok ? null : verdict;
}

async function write(
  options: AcceptanceOptions,
  { accepted, sent }: DecidedBatch,
  now: Date,
  withdrawn: WithdrawnSends,
): Promise<readonly QuotaUsage[]> {
  const messages: NewMessage[] = [];
  for (const { send, id, hold } of accepted) {
    const newHold = hold === null ? null : await toNewHold(send, hold, hold.approvalId, now, options.ids);
    messages.push(toNewMessage(send, id, now, options.ids, options.retryHours, newHold));
  }
  return await insertMessages(options.sql, messages, toCharges(accepted), {
    now,
    month: quotaMonth(now),
    monthlyQuota: options.monthlyQuota,
    idempotencyHorizon: idempotencyHorizon(now),
    sendCharges: sent.charges(),
    onHeld: (transaction, holds) => announceHolds(transaction, options.ids, holds.map(toMadeHold), now),
    beforeCommit: withdrawn.beforeCommit(accepted.map(({ send }) => send.command)),
  });
}

function toMadeHold({ account_id: accountId, id, message_id: emailId, key_id: keyId, reasons }: HoldRow): MadeHold {
  return { accountId, id, emailId, keyId, reasons };
}

function toCharges(accepted: DecidedBatch['accepted']): readonly AccountCharge[] {
  const accounts = new Map<string, { units: number; domains: Set<string>; senders: Map<string, SenderFact> }>();
  for (const { send } of accepted) {
    const { accountId, request } = send.command;
    const account = accounts.get(accountId) ?? { units: 0, domains: new Set(), senders: new Map() };
    account.units += send.cost;
    if (!send.sandboxSender) account.domains.add(request.from.domain);
    for (const fact of judgesOf(send.command).flatMap(toSenderFact)) account.senders.set(JSON.stringify(fact), fact);
    accounts.set(accountId, account);
  }
  return [...accounts].map(([account_id, { units, domains, senders }]) => ({
    ...{ account_id, units, domains: [...domains] },
    senders: [...senders.values()],
  }));
}

/** Mail of the installation itself is sent by no key. */
function toSenderFact({ keyId: k, version: v, shown }: JudgingKey): readonly SenderFact[] {
  if (v == null) return [];
  return [{ k, v, s: shown?.kind === 'session' ? shown.id : undefined, e: shown?.endsAt ?? undefined }];
}

function keyOf({ command }: PreparedSend): string {
  return `${callingKeyOf(command).keyId} ${command.idempotency?.key ?? ''}`;
}
