import { parse } from 'tldts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { refuseAddress } from '../outbound/public-address.ts';

/** On the list of public suffixes, and yet in nobody's public DNS: reverse and home networks (RFC 8375), and RFC 7686. */
const NOT_OF_HOSTS: readonly string[] = ['arpa', 'onion'];

/** Whether a name lies under a suffix that ICANN delegates; what organisations make up for themselves, such as `.corp` or `.local`, does not. */
export function isPublicName(name: string): boolean {
  const { isIcann } = parse(name);
  return isIcann === true && !NOT_OF_HOSTS.includes(name.toLowerCase().replace(/\.$/, '').split('.').at(-1) ?? '');
}

/**
 * A resolver that knows the public DNS alone: records of strangers name whatever they like, and our name servers may know of machines inside
 * what nobody outside is to learn. Other names and addresses are answered as such that there are none of, and nobody is asked.
 */
export function queryPublicNames(dns: DnsResolver): DnsResolver {
  const open = dns.only(isPublicName);
  const isPublic = (address: string) => refuseAddress(address, { allowLoopback: false }) === null;
  return {
    ...open,
    ptr: async (address) => (isPublic(address) ? await open.ptr(address) : { kind: 'no-name' }),
    fresh: () => queryPublicNames(dns.fresh()),
    only: (isAllowed) => queryPublicNames(dns.only(isAllowed)),
  };
}
