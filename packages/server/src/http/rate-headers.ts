import type { RateVerdict } from '../keys/key-rates.ts';
import { ProblemError } from '../problem.ts';

const WINDOW_SECONDS = 60;

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers: the policy, `q` requests in `w` seconds, and what is left of it, `r` requests, with the
 * seconds `t` until all of them are there again.
 */
export function rateHeaders({ limit, remaining, fullSeconds }: RateVerdict): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': `"key";q=${limit};w=${WINDOW_SECONDS}`,
    ratelimit: `"key";r=${remaining};t=${fullSeconds}`,
  };
}

/** The refusal of a request beyond the limit. */
export function rateLimited({ limit, retryAfterSeconds }: RateVerdict): ProblemError {
  return new ProblemError('rate_limited', {
    detail: `The key may make ${limit} requests a minute, and has made them. Wait ${retryAfterSeconds} s.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
