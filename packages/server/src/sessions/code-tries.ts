import { LIMITS } from '@postrider/core';
import { ProblemError } from '../problem.ts';

/** How many device codes a user and an address have tried, so that no one can guess the code of another person's device. */
export interface CodeTries {
  /** Counts a try before the code is looked up, right or wrong. @throws ProblemError where the user or the address has none left */
  assertTry(by: { readonly userId: string; readonly address: string }): void;
}

interface Counter {
  take(name: string, tries: number): number | null;
}

const WINDOW_MS = LIMITS.deviceCodeMinutes * 60_000;

/** @param newCounter counts in a sliding window; returns the seconds until the next one, or null */
export function createCodeTries(newCounter: (windowMs: number) => Counter): CodeTries {
  const [users, addresses] = [newCounter(WINDOW_MS), newCounter(WINDOW_MS)];
  return {
    assertTry({ userId, address }) {
      const seconds =
        users.take(userId, LIMITS.deviceCodeTries) ?? addresses.take(address, LIMITS.deviceCodeTriesPerAddress);
      if (seconds === null) return;
      throw new ProblemError('rate_limited', {
        detail: `Too many device codes were tried in the last ${LIMITS.deviceCodeMinutes} minutes.`,
        fix: `Try again in ${seconds} seconds.`,
        headers: { 'retry-after': String(seconds) },
      });
    },
  };
}
