import { parse } from 'tldts';
import type { DnsAnswer, DnsResolver } from '../dns/dns-resolver.ts';

/** On the list of public suffixes, and yet in nobody's public DNS: reverse and home networks (RFC 8375), and RFC 7686. */
const NOT_OF_HOSTS: readonly string[] = ['arpa', 'onion'];

/** Whether a name lies under a suffix that ICANN delegates; what organisations make up for themselves, such as `.corp` or `.local`, does not. */
export function isPublicName(name: string): boolean {
  const { isIcann } = parse(name);
  return isIcann === true && !NOT_OF_HOSTS.includes(name.toLowerCase().replace(/\.$/, '').split('.').at(-1) ?? '');
}

/**
 * A resolver that knows the public DNS alone: records of strangers name whatever they like, and our name servers may know of machines inside
 * what nobody outside is to learn. Other names are answered as such that there are none of, and nobody is asked.
 */
export function askPublicNames(dns: DnsResolver): DnsResolver {
  const guard =
    <Value>(ask: (name: string) => Promise<DnsAnswer<Value>>) =>
    async (name: string): Promise<DnsAnswer<Value>> =>
      isPublicName(name) ? await ask(name) : { kind: 'no-name' };
  return {
    txt: guard(dns.txt),
    mx: guard(dns.mx),
    a: guard(dns.a),
    aaaa: guard(dns.aaaa),
    ptr: dns.ptr,
    cname: guard(dns.cname),
    ns: guard(dns.ns),
    fresh: () => askPublicNames(dns.fresh()),
  };
}
