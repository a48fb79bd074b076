/** What is known when a process has ended unexpectedly. */
export interface Death {
  /** How many times in a row the process died; a long run resets the count. */
  readonly deaths: number;
  /** How many times in a row it did not become ready. */
  readonly failedStarts: number;
  readonly isAnotherReady: boolean;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** A process that ran this long was healthy: after its next death it is restarted quickly. */
export const STEADY_MS = 60_000;
const MOST_FAILED_STARTS = 5;

/**
 * The delay before the process is restarted; null to stop the server. While another process is ready, the server is never stopped: the
 * database may be down for a while, and the other processes recover by themselves.
 */
export function restartDelayMs({ deaths, failedStarts, isAnotherReady }: Death): number | null {
  if (failedStarts >= MOST_FAILED_STARTS && !isAnotherReady) return null;
  return Math.min(FIRST_DELAY_MS * 2 ** (deaths - 1), LONGEST_DELAY_MS);
}
