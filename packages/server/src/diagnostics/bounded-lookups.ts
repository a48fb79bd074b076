import type { DnsAnswer, DnsResolver } from '../dns/dns-resolver.ts';
import { wrapResolver } from '../dns/wrap-resolver.ts';

export interface LookupBounds {
  readonly questions: number;
  readonly timeMs: number;
}

/** What a check may use: a resolver that stops answering when the bounds are reached, and a signal for all else. */
export interface BoundedLookups {
  readonly dns: DnsResolver;
  readonly signal: AbortSignal;
}

/**
 * Runs a check within bounds. Records of others decide what a check asks for next, so neither the number of questions nor the time may be
 * theirs to choose: past either every question fails at once, and the check tells what it could not look at.
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

const NO_TIME: DnsAnswer<never> = { kind: 'failed', reason: 'the time for this check is over' };
const NO_QUESTIONS: DnsAnswer<never> = { kind: 'failed', reason: 'the check asked for more than it may' };

function boundResolver(dns: DnsResolver, questions: number, signal: AbortSignal): DnsResolver {
  let left = questions;
  const over = new Promise<DnsAnswer<never>>((resolve) => {
    signal.addEventListener('abort', () => resolve(NO_TIME), { once: true });
  });
  const bound =
    <Value>(ask: (name: string) => Promise<DnsAnswer<Value>>) =>
    async (name: string): Promise<DnsAnswer<Value>> => {
      if (signal.aborted) return NO_TIME;
      if (left <= 0) return NO_QUESTIONS;
      left -= 1;
      return await Promise.race([ask(name), over]);
    };
  return wrapResolver(dns, bound);
}
