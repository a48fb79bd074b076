import type { RateVerdict } from '../keys/key-rates.ts';
import { ProblemError } from '../problem.ts';

const WINDOW_SECONDS = 60;

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers: the policy, `q` requests in `w` seconds, and the remaining `r`
 * requests, with the seconds `t` until the limit resets.
 */
export function rateHeaders({ limit, remaining, fullSeconds }: RateVerdict): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': `"key";q=${limit};w=${WINDOW_SECONDS}`,
    ratelimit: `"key";r=${remaining};t=${fullSeconds}`,
  };
}

/** The rejection of a request beyond the limit. */
export function rateLimited({ limit, retryAfterSeconds }: RateVerdict): ProblemError {
  return new ProblemError('rate_limited', {
    detail: `The key has used its ${limit} requests for this minute. Wait ${retryAfterSeconds} s.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
