import type { DnsResolver, DnsResult } from '../dns/dns-resolver.ts';
import { wrapResolver } from '../dns/wrap-resolver.ts';

export interface LookupBounds {
  readonly questions: number;
  readonly timeMs: number;
}

/** What a check may use: a resolver that fails when the limits are reached, and a signal for everything else. */
export interface BoundedLookups {
  readonly dns: DnsResolver;
  readonly signal: AbortSignal;
}

/**
 * Runs a check within limits. Third-party records decide which lookups follow, so they must not control the number of
 * lookups or the time. Beyond a limit every lookup fails at once, and the check reports what it could not look up.
 */
export async function withinBounds<T>(
  dns: DnsResolver,
  { questions, timeMs }: LookupBounds,
  work: (lookups: BoundedLookups) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeMs);
  try {
    return await work({ dns: boundResolver(dns, questions, over.signal), signal: over.signal });
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

const NO_TIME: DnsResult<never> = { kind: 'failed', reason: 'the time limit for this check is reached' };
const NO_QUESTIONS: DnsResult<never> = { kind: 'failed', reason: 'the lookup limit for this check is reached' };

function boundResolver(dns: DnsResolver, questions: number, signal: AbortSignal): DnsResolver {
  let left = questions;
  const over = new Promise<DnsResult<never>>((resolve) => {
    signal.addEventListener('abort', () => resolve(NO_TIME), { once: true });
  });
  const bound =
    <Value>(ask: (name: string) => Promise<DnsResult<Value>>) =>
    async (name: string): Promise<DnsResult<Value>> => {
      if (signal.aborted) return NO_TIME;
      if (left <= 0) return NO_QUESTIONS;
      left -= 1;
      return await Promise.race([ask(name), over]);
    };
  return wrapResolver(dns, bound);
}
