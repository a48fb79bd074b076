/** What is known when a process has ended without being asked to. */
export interface Death {
  /** How often its place was vacated in a row; a long run starts the count again. */
  readonly deaths: number;
  /** How often in a row it did not even become ready. */
  readonly failedStarts: number;
  readonly isAnotherReady: boolean;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** A process that ran this long was healthy: after its next death it is restarted quickly. */
export const STEADY_MS = 60_000;
const MOST_FAILED_STARTS = 5;

/**
 * When to start a process again; null to give up the server. While another process is ready, it never gives up: the reason may be a
 * database that is down for a while, and the others recover by themselves.
 */
export function restartDelayMs({ deaths, failedStarts, isAnotherReady }: Death): number | null {
  if (failedStarts >= MOST_FAILED_STARTS && !isAnotherReady) return null;
  return Math.min(FIRST_DELAY_MS * 2 ** (deaths - 1), LONGEST_DELAY_MS);
}
