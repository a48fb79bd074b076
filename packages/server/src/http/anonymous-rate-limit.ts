import type { AnonymousLimits, Operation } from '@postrider/core';
import type { ClientCounter } from '../keys/client-rate-limit.ts';
import { ProblemError } from '../problem.ts';

/**
 * The rate limits of operations that need no credentials. One count covers both path prefixes, all operations that share it, and the calls
 * that tools of `POST /mcp` make.
 */
export interface AnonymousRateLimit {
  /** Counts a call from an address. Rejects with a ProblemError if it has used its limit for this minute. */
  assertRate(operation: Operation, address: string): Promise<void>;
  /** The same for a call that is no operation. */
  assertCount(limits: AnonymousLimits, address: string): Promise<void>;
}

/** @param counts where the requests to all processes of this server are counted */
export function createAnonymousRateLimit(counts: ClientCounter): AnonymousRateLimit {
  const assertCount = async ({ count, requestsPerMinute }: AnonymousLimits, address: string): Promise<void> => {
    const retryAfterSeconds = await counts.take(count, address, requestsPerMinute);
    if (retryAfterSeconds === null) return;
    throw new ProblemError('rate_limited', {
      detail: `This address has used its ${requestsPerMinute} requests for this minute.`,
      headers: { 'retry-after': String(retryAfterSeconds) },
    });
  };
  return {
    assertCount,
    async assertRate({ anonymousLimits }, address) {
      if (anonymousLimits !== undefined) await assertCount(anonymousLimits, address);
    },
  };
}
