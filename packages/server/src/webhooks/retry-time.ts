const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The delays after failed attempts: nine, so ten attempts over about 75 hours. */
const DELAYS_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** In both directions, so that simultaneous failures are not retried simultaneously. */
const JITTER = 0.2;

/** A receiver cannot ask for more than the longest delay. */
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * When the next attempt is due; null if there is none.
 * @param step how many attempts of this round have failed, including this one.
 * @param retryAfterMs what the receiver asked for: it is not called earlier.
 * @param random in [0, 1).
 */
export function nextAttemptAt(
  { step, retryAfterMs }: { readonly step: number; readonly retryAfterMs: number | null },
  now: Date,
  random: number,
): Date | null {
  const delayMs = DELAYS_MS[step - 1];
  if (delayMs === undefined) return null;
  const jitteredMs = Math.round(delayMs * (1 + JITTER * (2 * random - 1)));
  return new Date(now.getTime() + Math.max(jitteredMs, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS)));
}

/** The delay in `retry-after` (RFC 9110, section 10.2.3): seconds or a date; null if it is neither. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  // Any number of digits: a very long delay is still a long delay.
  if (/^\d+$/.test(header.trim())) return Number(header.trim()) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
