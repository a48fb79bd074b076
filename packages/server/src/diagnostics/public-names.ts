import { parse } from 'tldts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { refuseAddress } from '../outbound/public-address.ts';

/** On the public suffix list, but not in the public DNS: reverse and home networks (RFC 8375), and RFC 7686. */
const NOT_OF_HOSTS: readonly string[] = ['arpa', 'onion'];

/** Whether a name is under a suffix that ICANN delegates. Private suffixes such as `.corp` or `.local` are not. */
export function isPublicName(name: string): boolean {
  const { isIcann } = parse(name);
  return isIcann === true && !NOT_OF_HOSTS.includes(name.toLowerCase().replace(/\.$/, '').split('.').at(-1) ?? '');
}

/**
 * A resolver limited to the public DNS: records of strangers can refer to any name, and our name servers may know
 * internal machines that outsiders must not learn about. Other names and addresses do not exist for it, and no query is
 * sent for them.
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
