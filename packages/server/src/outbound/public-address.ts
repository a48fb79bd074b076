import ipaddr from 'ipaddr.js';

/** The addresses that are allowed. */
export interface AddressPolicy {
  /** In development a program on the same machine may be called, but nothing else internal. */
  readonly allowLoopback: boolean;
}

/** RFC 4291 §2.4 and its registry: all global unicast addresses assigned so far. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Why an address is not allowed, as the end of a sentence about it, or null if it is. Only public internet addresses are
 * allowed: private, local, reserved, tunnel and translation addresses lead, or may lead, to an internal network.
 */
export function refuseAddress(address: string, { allowLoopback }: AddressPolicy): string | null {
  if (!ipaddr.isValid(address)) return 'is not an IP address';
  // `process` converts an IPv4-mapped address to IPv4, which is what the kernel connects to.
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback ? null : 'is an address of this machine';
  if (range !== 'unicast') return `is not a public address (${range})`;
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return 'is outside the public IPv6 addresses';
  return null;
}
