import { announceHolds, type MadeHold } from '../approvals/holds/announce-holds.ts';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import type { QuotaUsage } from '../db/queries/charge-quota.ts';
import { failedItemsOf } from '../db/queries/failed-items.ts';
import type { HoldRow } from '../db/queries/insert-holds.ts';
import { type AccountCharge, insertMessages, type SenderFact } from '../db/queries/insert-messages.ts';
import type { NewMessage } from '../db/queries/message-lists.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { checkKeyRules } from './acceptance.ts';
import {
  type BatchFacts,
  type FactOptions,
  idempotencyHorizon,
  keyQuestionOf,
  needsDomain,
  readBatchFacts,
} from './batch-facts.ts';
import { type AcceptedSend, type DecidedBatch, decideSends, idempotencyNameOf, toVerdicts } from './decide-sends.ts';
import { judgesOf, mayBeHeld } from './judging-keys.ts';
import type { JudgingKey } from './key-rules.ts';
import { hasChanged, withPresentRules } from './key-state.ts';
import { type Routing, toNewHold, toNewMessage } from './message-rows.ts';
import type { ParsedSend } from './parsed-send.ts';
import { quotaMonth } from './quota.ts';
import type { SendVerdict } from './send-verdict.ts';
import { createWithdrawnSends, WithdrawnError, type WithdrawnSends } from './withdrawn-sends.ts';

export interface AcceptanceOptions extends Routing, FactOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Each round settles at least one of the sends that compete for the same key or the rest of a quota, so few rounds are needed. */
const MAX_ROUNDS = 20;

/** The result of a batch. */
export interface AcceptedBatch {
  readonly verdicts: readonly SendVerdict[];
  /** Whether the whole batch was written without reading facts first. */
  readonly unquestioned: boolean;
}

/**
 * Accepts sends: every send, from any protocol, passes through here. One statement checks the rules and writes the whole batch or nothing. If
 * it refuses, the facts of the failed items are read, the rules decide each of them, and the rest is written the same way. Every send gets
 * its own verdict, in order.
 * @param first `write` to try without reading facts; `ask` if many sends were refused lately, so that reading facts first saves a statement.
 * @throws database errors; nothing of the batch was accepted then.
 */
export async function acceptMessages(
  options: AcceptanceOptions,
  parsed: readonly ParsedSend[],
  first: 'write' | 'ask' = 'write',
): Promise<AcceptedBatch> {
  const now = options.clock.now();
  let sends = parsed;
  const withdrawn = createWithdrawnSends();
  const asked = new Set(first === 'ask' ? sends.keys() : findUnchecked(sends));
  let unquestioned = true;
  for (let round = 1; ; round += 1) {
    let facts: BatchFacts | null = null;
    if (asked.size > 0) {
      unquestioned = false;
      const unchecked = sends.filter((_, place) => asked.has(place));
      facts = await readBatchFacts(options.sql, unchecked, now, options);
      const renewed = renewSends(sends, facts);
      if (renewed !== null) {
        // The facts were read under rules that have changed since.
        sends = renewed;
        for (const place of findUnchecked(sends)) asked.add(place);
        if (round < MAX_ROUNDS) continue;
      }
    }
    const decided = decideSends(sends, facts === null ? null : { asked, facts }, options, now, withdrawn);
    if (decided.accepted.length === 0) return { verdicts: toVerdicts(decided), unquestioned };
    try {
      decided.quota.settle(await write(options, decided, now, withdrawn));
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
 * The places of sends that need facts before they are written: sends that may be held, sends that their keys refuse (a reason of a higher
 * rank may apply), and sends that share an idempotency key with an earlier one in the batch.
 */
function findUnchecked(sends: readonly ParsedSend[]): readonly number[] {
  const names = new Set<string>();
  return sends.flatMap((send, place) => {
    const name = send.idempotency === null ? null : idempotencyNameOf(send);
    const isRepeated = name !== null && names.has(name);
    if (name !== null) names.add(name);
    return isRepeated || mayBeHeld(send.sender) || checkKeyRules(keyQuestionOf(send)) !== null ? [place] : [];
  });
}

/** The sends under the current rules of their keys; null if those are the rules they were judged by. */
function renewSends(sends: readonly ParsedSend[], { keys }: BatchFacts): readonly ParsedSend[] | null {
  const isOutdated = ({ sender }: ParsedSend) => judgesOf(sender).some((key) => hasChanged(key, keys));
  if (!sends.some(isOutdated)) return null;
  return sends.map((send) => (isOutdated(send) ? { ...send, sender: withPresentRules(send.sender, keys) } : send));
}

async function write(
  options: AcceptanceOptions,
  { accepted, sent }: DecidedBatch,
  now: Date,
  withdrawn: WithdrawnSends,
): Promise<readonly QuotaUsage[]> {
  const messages: NewMessage[] = [];
  for (const decided of accepted) {
    const { send, hold } = decided;
    const newHold = hold === null ? null : await toNewHold(send, hold, now, options.ids);
    messages.push(toNewMessage(decided, newHold, now, options));
  }
  return await insertMessages(options.sql, messages, toCharges(accepted, options.sandboxDomain), {
    now,
    month: quotaMonth(now),
    monthlyQuota: options.monthlyQuota,
    idempotencyHorizon: idempotencyHorizon(now),
    sendCharges: sent.charges(),
    onHeld: (transaction, holds) => announceHolds(transaction, options.ids, holds.map(toMadeHold), now),
    beforeCommit: withdrawn.beforeCommit(accepted.map(({ send }) => send)),
  });
}

function toMadeHold({ account_id: accountId, id, message_id: emailId, key_id: keyId, reasons }: HoldRow): MadeHold {
  return { accountId, id, emailId, keyId, reasons };
}

function toCharges(accepted: readonly AcceptedSend[], sandboxDomain: string): readonly AccountCharge[] {
  const accounts = new Map<string, { units: number; domains: Set<string>; senders: Map<string, SenderFact> }>();
  for (const { send, cost } of accepted) {
    const { sender, request } = send;
    const account = accounts.get(sender.accountId) ?? { units: 0, domains: new Set(), senders: new Map() };
    account.units += cost;
    if (needsDomain(send, sandboxDomain)) account.domains.add(request.from.domain);
    for (const key of judgesOf(sender)) addSenderFact(account.senders, key);
    accounts.set(sender.accountId, account);
  }
  return [...accounts].map(([account_id, { units, domains, senders }]) => ({
    ...{ account_id, units, domains: [...domains] },
    senders: [...senders.values()],
  }));
}

/** Each fact once. No key sends the installation's own mail. */
function addSenderFact(facts: Map<string, SenderFact>, { keyId: k, version: v, shown }: JudgingKey): void {
  if (v == null) return;
  const session = shown?.kind === 'session' ? shown.id : undefined;
  const endsAt = shown?.endsAt ?? undefined;
  const name = `${k} ${v} ${session} ${endsAt?.getTime()}`;
  if (!facts.has(name)) facts.set(name, { k, v, s: session, e: endsAt });
}
