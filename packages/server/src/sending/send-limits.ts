import type { SendLimit } from '@postrider/core';
import type { SendCharge } from '../db/queries/insert-sends.ts';
import type { Refusal } from './acceptance.ts';
import type { KeyRules } from './key-rules.ts';

export type SendPeriod = 'hour' | 'day';

const SEND_PERIODS: readonly SendPeriod[] = ['hour', 'day'];

const PERIOD_MS: Readonly<Record<SendPeriod, number>> = { hour: 3_600_000, day: 86_400_000 };

/** The start of the hour or day that a moment is in. Both are counted in UTC, like the quota's months. */
export function periodStart(period: SendPeriod, now: Date): Date {
  const ms = now.getTime();
  return new Date(ms - (ms % PERIOD_MS[period]));
}

/** Seconds until the next hour or day begins; at least 1. */
function secondsToNextPeriod(period: SendPeriod, now: Date): number {
  const endMs = periodStart(period, now).getTime() + PERIOD_MS[period];
  return Math.max(1, Math.ceil((endMs - now.getTime()) / 1_000));
}

/** A send limit that a key's sends count toward: its own, or that of a key that created it. */
export interface CountedLimit {
  readonly keyId: string;
  readonly sendLimit: SendLimit;
  readonly isMaker: boolean;
}

/**
 * Every limit that the sends of a key count toward. Keys created by a limited key share its limit, so that creating keys does not bypass
 * it.
 */
export function limitsOf({
  keyId,
  sendLimit,
  makerLimits,
}: Pick<KeyRules, 'sendLimit' | 'makerLimits'> & { readonly keyId: string }): readonly CountedLimit[] {
  const made = makerLimits.map((limit) => ({ ...limit, isMaker: true }));
  return sendLimit === null ? made : [{ keyId, sendLimit, isMaker: false }, ...made];
}

/**
 * What these sends add to a limit in its periods.
 * @param items the sends, by their index in the batch
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

/** Whether a key has a limit on the messages it may send. */
export function isSendLimited({ sendLimit, makerLimits }: Pick<KeyRules, 'sendLimit' | 'makerLimits'>): boolean {
  return sendLimit !== null || makerLimits.length > 0;
}

/**
 * Why a key that has reached its limit may not send; null if it may. If the hour and the day are both over the limit, the refusal gives the
 * longer wait, because the shorter one would lead to another refusal.
 * @param sent messages of the current hour and day, by period
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

/** The refusal of a send that exceeds a key's limit for a period. */
export function refuseByLimit(
  { sendLimit: limit, isMaker }: Omit<CountedLimit, 'keyId'>,
  over: SendPeriod,
  now: Date,
): Refusal {
  const retryAfterSeconds = secondsToNextPeriod(over, now);
  const count = `${limit[over]} message${limit[over] === 1 ? '' : 's'} ${over === 'hour' ? 'an hour' : 'a day'} (UTC)`;
  return {
    code: 'send_limit_reached',
    detail: isMaker
      ? `The key that made this one may send ${count} together with the keys it made. The limit is used up.`
      : `The key may send ${count}. The limit is used up.`,
    // The catalog names the header, which batch items and dry runs do not have.
    fix: `Wait for ${retryAfterSeconds} s, then send again.`,
    retryAfterSeconds,
  };
}
