import { type DisabledReason, LIMITS } from '@postrider/core';

const DAY_MS = 86_400_000;

/** What is known of an endpoint after a failed attempt. */
export interface FailureFacts {
  /** The status of the answer; null where there was none. */
  readonly statusCode: number | null;
  /** Since the last success. */
  readonly failures: number;
  readonly failingSince: Date;
}

/**
 * Whether an endpoint is to get nothing more, and why: one that says it is gone at once; one that fails only after days, and not by a few
 * attempts that happened to lie far apart.
 */
export function decideDisabling(
  { statusCode, failures, failingSince }: FailureFacts,
  now: Date,
): DisabledReason | null {
  if (statusCode === 410) return 'gone';
  const failingMs = now.getTime() - failingSince.getTime();
  return failures >= LIMITS.webhookFailuresMin && failingMs >= LIMITS.webhookFailingDays * DAY_MS ? 'failing' : null;
}
