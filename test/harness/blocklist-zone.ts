import type { TestDnsServer } from './dns-server.ts';

/** Makes the test DNS server a blocklist of addresses, with the test entries of RFC 5782. */
export function serveAddressList(dns: TestDnsServer, zone: string): void {
  dns.set(`2.0.0.127.${zone}`, 'A', '127.0.0.2');
  dns.set(`${nibblesOf('7f000002')}.${zone}`, 'A', '127.0.0.2');
}

/** The same for a list of domains. */
export function serveDomainList(dns: TestDnsServer, zone: string): void {
  dns.set(`test.${zone}`, 'A', '127.0.1.2');
}

/** The IPv4-mapped form of the test addresses, as in lists of IPv6 addresses. */
function nibblesOf(hex: string): string {
  return `00000000000000000000ffff${hex}`.split('').reverse().join('.');
}
