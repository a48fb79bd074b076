const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The wait after the first attempt, after the second, and so on; the last one stands for all that follow. */
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

/** Deferred messages of one moment must not come back in one moment: each wait is up to a fifth shorter or longer. */
const JITTER = 0.2;

export interface RetryFacts {
  /** How many attempts were made, 1 after the first. */
  readonly attempt: number;
  readonly now: Date;
  readonly expiresAt: Date;
  /** From [0, 1). */
  readonly random: number;
}

/**
 * When to try again, or null when the time for trying is over.
 *
 * An attempt that would come after the expiry is made at the expiry instead: with waits of four hours a message would
 * else be given up hours before its time, though its server may be back.
 */
export function nextAttemptAt({ attempt, now, expiresAt, random }: RetryFacts): Date | null {
  if (now >= expiresAt) return null;
  const delayMs = RETRY_DELAYS_MS[attempt - 1] ?? LATER_RETRY_DELAY_MS;
  const jitteredMs = delayMs * (1 - JITTER + 2 * JITTER * random);
  return new Date(Math.min(now.getTime() + jitteredMs, expiresAt.getTime()));
}
