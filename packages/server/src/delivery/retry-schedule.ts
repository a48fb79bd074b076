const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits after the first attempt, the second, and so on. The last one applies to all later attempts. */
const RETRY_DELAYS_MS = [
  30_000,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  20 * MINUTE_MS,
  40 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
];
const LATER_RETRY_DELAY_MS = 4 * HOUR_MS;

/** Messages deferred at the same moment must not retry at the same moment: each wait varies by up to a fifth. */
const JITTER = 0.2;

export interface RetryFacts {
  /** The number of attempts so far: 1 after the first. */
  readonly attempt: number;
  readonly now: Date;
  readonly expiresAt: Date;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * When to retry, or null if the retry time is over.
 *
 * An attempt that would be after the expiry is made at the expiry instead: with waits of four hours, a message would
 * otherwise be given up hours early, although its server may be available again.
 */
export function nextAttemptAt({ attempt, now, expiresAt, random }: RetryFacts): Date | null {
  if (now >= expiresAt) return null;
  const delayMs = RETRY_DELAYS_MS[attempt - 1] ?? LATER_RETRY_DELAY_MS;
  const jitteredMs = delayMs * (1 - JITTER + 2 * JITTER * random);
  return new Date(Math.min(now.getTime() + jitteredMs, expiresAt.getTime()));
}
