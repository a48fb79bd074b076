import type { DnsResolver, DnsResult } from './dns-resolver.ts';

type Question<Value> = (name: string) => Promise<DnsResult<Value>>;

/** Wraps a query function. `type` is the record type. */
export type AroundQuestion = <Value>(ask: Question<Value>, type: string) => Question<Value>;

/** Returns the same resolver with each of its queries wrapped, including those of its views. */
export function wrapResolver(dns: DnsResolver, around: AroundQuestion): DnsResolver {
  return {
    txt: around(dns.txt, 'TXT'),
    mx: around(dns.mx, 'MX'),
    a: around(dns.a, 'A'),
    aaaa: around(dns.aaaa, 'AAAA'),
    ptr: around(dns.ptr, 'PTR'),
    cname: around(dns.cname, 'CNAME'),
    ns: around(dns.ns, 'NS'),
    fresh: () => wrapResolver(dns.fresh(), around),
    only: (isAllowed) => wrapResolver(dns.only(isAllowed), around),
  };
}
