import type { Operation } from '@postrider/core';
import type { Clock } from '../clock.ts';
import { ProblemError } from '../problem.ts';
import { createClientRateLimit } from './client-rate-limit.ts';

/**
 * The rate limits of operations that need no credentials. One count covers both path prefixes, all operations that share it, and the calls
 * that tools of `POST /mcp` make.
 */
export interface AnonymousRateLimit {
  /** Counts a call from an address. @throws ProblemError if it has used its limit for this minute. */
  assertRate(operation: Operation, address: string): void;
}

const MINUTE_MS = 60_000;

export function createAnonymousRateLimit(clock: Clock): AnonymousRateLimit {
  const newCount = () => createClientRateLimit({ clock, windowMs: MINUTE_MS });
  const counts = { tools: newCount(), 'sign-in': newCount(), polls: newCount() };
  return {
    assertRate({ anonymousLimits }, address) {
      if (anonymousLimits === undefined) return;
      const retryAfterSeconds = counts[anonymousLimits.count].take(address, anonymousLimits.requestsPerMinute);
      if (retryAfterSeconds === null) return;
      throw new ProblemError('rate_limited', {
        detail: `This address has used its ${anonymousLimits.requestsPerMinute} requests for this minute.`,
        headers: { 'retry-after': String(retryAfterSeconds) },
      });
    },
  };
}
