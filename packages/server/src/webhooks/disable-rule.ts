import { type DisabledReason, LIMITS } from '@postrider/core';

const DAY_MS = 86_400_000;

/** The state of an endpoint after a failed attempt. */
export interface FailureFacts {
  /** The status of the response; null if there was none. */
  readonly statusCode: number | null;
  /** Since the last success. */
  readonly failures: number;
  readonly failingSince: Date;
}

/**
 * Whether and why to disable an endpoint: at once if it responds that it is gone; if it fails, only after days, and not
 * after a few attempts that happened to be far apart.
 */
export function decideDisabling(
  { statusCode, failures, failingSince }: FailureFacts,
  now: Date,
): DisabledReason | null {
  if (statusCode === 410) return 'gone';
  const failingMs = now.getTime() - failingSince.getTime();
  return failures >= LIMITS.webhookFailuresMin && failingMs >= LIMITS.webhookFailingDays * DAY_MS ? 'failing' : null;
}
