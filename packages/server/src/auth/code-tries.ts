import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Query } from '../db/client.ts';
import { findOldestCodeTry, takeCodeTry } from '../db/queries/code-tries.ts';
import { ProblemError } from '../problem.ts';

/** How many device codes a user and the client behind an address have tried, so that no one can guess the code of another user's device. */
export interface CodeTries {
  /**
   * Counts a try before the code is looked up, whether the code is right or wrong.
   * @throws ProblemError if the user or the client has no tries left
   */
  assertTry(by: { readonly userId: string; readonly address: string }): Promise<void>;
}

const WINDOW_MS = LIMITS.deviceCodeMinutes * 60_000;

/**
 * Exact for any time window across all processes, because the counts are in the database. If the database is unavailable, no code can be
 * tried.
 * @param clientOf returns the client behind an address
 */
export function createCodeTries(sql: Query, clock: Clock, clientOf: (address: string) => string): CodeTries {
  async function take(triedBy: string, limit: number): Promise<void> {
    const now = clock.now();
    const after = new Date(now.getTime() - WINDOW_MS);
    if (await takeCodeTry(sql, { triedBy, limit, after, now })) return;
    const oldest = await findOldestCodeTry(sql, triedBy, after);
    const seconds = Math.max(1, Math.ceil(((oldest ?? now).getTime() - after.getTime()) / 1_000));
    throw new ProblemError('rate_limited', {
      detail: `Too many device codes were tried in the last ${LIMITS.deviceCodeMinutes} minutes.`,
      fix: `Try again in ${seconds} seconds.`,
      headers: { 'retry-after': String(seconds) },
    });
  }

  return {
    async assertTry({ userId, address }) {
      await take(`user:${userId}`, LIMITS.deviceCodeTries);
      await take(`client:${clientOf(address)}`, LIMITS.deviceCodeTriesPerAddress);
    },
  };
}
