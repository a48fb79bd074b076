import type { SentFact } from '../db/queries/acceptance-facts.ts';
import type { SendCharge } from '../db/queries/insert-sends.ts';
import type { Refusal } from './acceptance.ts';
import type { Sender } from './judged-sender.ts';
import { judgesOf } from './judging-keys.ts';
import { type CountedLimit, chargesOf, checkSendLimit, limitsOf, type SendPeriod } from './send-limits.ts';

/** Counts the send limits of keys while a batch is decided, so that its items are counted one after the other. */
export interface SendLedger {
  /** Why one of the keys that judge the send may not send another message now. */
  faultOf(sender: Sender): Refusal | null;
  /** @param item the index of the send in the batch that is written */
  count(sender: Sender, item: number): void;
  charges(): readonly SendCharge[];
}

/** @param facts of the sends that are judged here; a limited key without facts has sent nothing in the period */
export function createSendLedger(facts: readonly SentFact[], now: Date): SendLedger {
  const before = new Map(facts.map(({ keyId, period, sends }) => [`${keyId} ${period}`, sends]));
  const counted = new Map<string, { accountId: string; limit: CountedLimit; items: number[] }>();
  const sentBy = (keyId: string, period: SendPeriod) =>
    (before.get(`${keyId} ${period}`) ?? 0) + (counted.get(keyId)?.items.length ?? 0);

  return {
    faultOf(sender) {
      for (const limit of limitsOn(sender)) {
        const { keyId } = limit;
        const fault = checkSendLimit(limit, { hour: sentBy(keyId, 'hour'), day: sentBy(keyId, 'day') }, now);
        if (fault !== null) return fault;
      }
      return null;
    },
    count(sender, item) {
      for (const limit of limitsOn(sender)) {
        const items = counted.get(limit.keyId)?.items ?? [];
        items.push(item);
        counted.set(limit.keyId, { accountId: sender.accountId, limit, items });
      }
    },
    charges: () =>
      [...counted.values()].flatMap(({ accountId, limit, items }) => chargesOf(accountId, limit, items, now)),
  };
}

/** The limits of all keys that judge a send, each once: the two keys of a resend may have been created by the same key. */
export function limitsOn(sender: Sender): Iterable<CountedLimit> {
  const limits = judgesOf(sender).flatMap(limitsOf);
  return limits.length < 2 ? limits : new Map(limits.map((limit) => [limit.keyId, limit])).values();
}
