import type { DnsResolver, DnsResult } from './dns-resolver.ts';
import { wrapResolver } from './wrap-resolver.ts';

/** The oldest response is dropped beyond this number. */
const MAX_RESPONSES = 2_000;

/** Caches each response for its lifetime: repeated and concurrent identical queries are sent once. Its views start empty. */
export function createCachingResolver(dns: DnsResolver): DnsResolver {
  const memory = new Map<string, Promise<unknown>>();
  const remembering = wrapResolver(
    dns,
    <Value>(ask: (name: string) => Promise<DnsResult<Value>>, type: string) =>
      (name: string) => {
        const key = `${type} ${name}`;
        // Keys consist of a type and a name, so entries match this query.
        const known = memory.get(key) as Promise<DnsResult<Value>> | undefined;
        if (known !== undefined) return known;
        const response = ask(name);
        memory.set(key, response);
        const [oldest] = memory.size > MAX_RESPONSES ? memory.keys() : [];
        if (oldest !== undefined) memory.delete(oldest);
        return response;
      },
  );
  return {
    ...remembering,
    fresh: () => createCachingResolver(dns.fresh()),
    only: (isAllowed) => createCachingResolver(dns.only(isAllowed)),
  };
}
