import type { Operation } from '@postrider/core';
import type { Clock } from '../clock.ts';
import { ProblemError } from '../problem.ts';
import { createClientRateLimit } from './client-rate-limit.ts';

/**
 * The limits of operations that anybody may call, wherever the call comes in: one count for both prefixes, for all operations that share it,
 * and for those that a tool of `POST /mcp` calls.
 */
export interface AnonymousGate {
  /** Counts a call from an address. @throws ProblemError where it has made all its calls of this minute. */
  assertRate(operation: Operation, address: string): void;
}

const MINUTE_MS = 60_000;

export function createAnonymousGate(clock: Clock): AnonymousGate {
  const newCount = () => createClientRateLimit({ clock, windowMs: MINUTE_MS });
  const counts = { tools: newCount(), 'sign-in': newCount(), polls: newCount() };
  return {
    assertRate({ anonymousLimits }, address) {
      if (anonymousLimits === undefined) return;
      const retryAfterSeconds = counts[anonymousLimits.count].take(address, anonymousLimits.requestsPerMinute);
      if (retryAfterSeconds === null) return;
      throw new ProblemError('rate_limited', {
        detail: `This address has made its ${anonymousLimits.requestsPerMinute} requests of this minute.`,
        headers: { 'retry-after': String(retryAfterSeconds) },
      });
    },
  };
}
