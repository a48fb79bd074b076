import type { DnsAnswer, DnsResolver } from './dns-resolver.ts';

type Question<Value> = (name: string) => Promise<DnsAnswer<Value>>;

/** Makes a question of one that is to be asked. `type` is that of the records. */
export type AroundQuestion = <Value>(ask: Question<Value>, type: string) => Question<Value>;

/** The same resolver with something done around each of its questions, those of its views included. */
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
