import type { SendLimit } from '@postrider/core';
import type { SendCharge } from '../db/queries/insert-sends.ts';
import type { Refusal } from './acceptance.ts';
import type { KeyRules } from './key-rules.ts';

export type SendPeriod = 'hour' | 'day';

const SEND_PERIODS: readonly SendPeriod[] = ['hour', 'day'];

const PERIOD_MS: Readonly<Record<SendPeriod, number>> = { hour: 3_600_000, day: 86_400_000 };

/** When the hour or the day began that a moment lies in; both are counted in UTC, as the quota's months are. */
export function periodStart(period: SendPeriod, now: Date): Date {
  const ms = now.getTime();
  return new Date(ms - (ms % PERIOD_MS[period]));
}

/** Seconds until the next hour or day begins; at least 1. */
function secondsToNextPeriod(period: SendPeriod, now: Date): number {
  const endMs = periodStart(period, now).getTime() + PERIOD_MS[period];
  return Math.max(1, Math.ceil((endMs - now.getTime()) / 1_000));
}

/** A send limit that a key's sends count against: its own, or that of a key which made it. */
export interface CountedLimit {
  readonly keyId: string;
  readonly sendLimit: SendLimit;
  readonly isMaker: boolean;
}

/** Every limit that the sends of a key count against. Keys made by a limited key share its limit, so that making keys is no way around it. */
export function limitsOf({
  keyId,
  sendLimit,
  makerLimits,
}: Pick<KeyRules, 'sendLimit' | 'makerLimits'> & { readonly keyId: string }): readonly CountedLimit[] {
  const made = makerLimits.map((limit) => ({ ...limit, isMaker: true }));
  return sendLimit === null ? made : [{ keyId, sendLimit, isMaker: false }, ...made];
}

/**
 * What some sends add to a limit, in the periods that it names.
 * @param items the sends, by their places in the batch
 */
export function chargesOf(
  account_id: string,
  { keyId: key_id, sendLimit }: CountedLimit,
  items: readonly number[],
  now: Date,
): readonly SendCharge[] {
  const counted = { account_id, key_id, sends: items.length, items: [...items] };
  return SEND_PERIODS.flatMap((period) => {
    const allowed = sendLimit[period];
    const starts_at = periodStart(period, now);
    return allowed === null ? [] : [{ ...counted, period, starts_at, allowed }];
  });
}

/** Whether a key may send only so many messages. */
export function isSendLimited({ sendLimit, makerLimits }: Pick<KeyRules, 'sendLimit' | 'makerLimits'>): boolean {
  return sendLimit !== null || makerLimits.length > 0;
}

/**
 * The refusal of a send by a key that has sent all it may; null where it may send. Of an hour and a day that are both over the longer wait is
 * told: the shorter one would lead into the next refusal.
 * @param sent messages of the present hour and day, by period
 */
export function checkSendLimit(
  limit: Omit<CountedLimit, 'keyId'>,
  sent: Readonly<Record<SendPeriod, number>>,
  now: Date,
): Refusal | null {
  const over = SEND_PERIODS.findLast((period) => {
    const allowed = limit.sendLimit[period];
    return allowed !== null && sent[period] >= allowed;
  });
  return over === undefined ? null : refuseByLimit(limit, over, now);
}

/** The refusal of a send beyond what a key may send in a period. */
export function refuseByLimit(
  { sendLimit: limit, isMaker }: Omit<CountedLimit, 'keyId'>,
  over: SendPeriod,
  now: Date,
): Refusal {
  const retryAfterSeconds = secondsToNextPeriod(over, now);
  const count = `${limit[over]} messages ${over === 'hour' ? 'an hour' : 'a day'} (UTC)`;
  return {
    code: 'send_limit_reached',
    detail: isMaker
      ? `The key that made this one may send ${count} together with the keys it made, and they have been sent.`
      : `The key may send ${count}, and has sent them.`,
    retryAfterSeconds,
  };
}
