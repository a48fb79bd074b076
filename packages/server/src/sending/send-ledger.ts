import type { SentFact } from '../db/queries/acceptance-facts.ts';
import type { SendCharge } from '../db/queries/insert-sends.ts';
import type { Refusal } from './acceptance.ts';
import { judgesOf } from './judging-keys.ts';
import type { JudgingKey, SendCommand } from './send-command.ts';
import { checkSendLimit, periodStart, SEND_PERIODS, type SendPeriod } from './send-limits.ts';

type LimitedKey = Pick<JudgingKey, 'accountId' | 'keyId' | 'sendLimit'>;

/** Keeps the send limits of keys while a batch is decided, so that its items are counted one after the other. */
export interface SendLedger {
  /** Why one of the keys that judge the send may not send one more now. */
  faultOf(command: SendCommand): Refusal | null;
  count(command: SendCommand): void;
  charges(): readonly SendCharge[];
}

/** @param facts of keys without facts it is supposed that they have sent nothing before */
export function createSendLedger(facts: readonly SentFact[], now: Date): SendLedger {
  const before = new Map(facts.map(({ keyId, period, sends }) => [`${keyId} ${period}`, sends]));
  const counted = new Map<string, { key: LimitedKey; sends: number }>();
  const sentBy = (keyId: string, period: SendPeriod) =>
    (before.get(`${keyId} ${period}`) ?? 0) + (counted.get(keyId)?.sends ?? 0);

  return {
    faultOf(command) {
      for (const { keyId, sendLimit } of judgesOf(command)) {
        const fault = checkSendLimit(sendLimit, { hour: sentBy(keyId, 'hour'), day: sentBy(keyId, 'day') }, now);
        if (fault !== null) return fault;
      }
      return null;
    },
    count(command) {
      for (const key of judgesOf(command)) {
        if (key.sendLimit !== null) counted.set(key.keyId, { key, sends: (counted.get(key.keyId)?.sends ?? 0) + 1 });
      }
    },
    charges: () =>
      [...counted.values()].flatMap(({ key: { accountId, keyId, sendLimit }, sends }) =>
        SEND_PERIODS.flatMap((period) => {
          const allowed = sendLimit?.[period] ?? null;
          const starts_at = periodStart(period, now).toISOString();
          return allowed === null ? [] : [{ account_id: accountId, key_id: keyId, period, starts_at, sends, allowed }];
        }),
      ),
  };
}
