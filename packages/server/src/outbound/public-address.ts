import ipaddr from 'ipaddr.js';

/** What may be reached. */
export interface AddressPolicy {
  /** In development a program on the same machine may be called; nothing else inside. */
  readonly allowLoopback: boolean;
}

/** RFC 4291 §2.4 and the registry behind it: all global unicast that was ever given out. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Why an address may not be connected to, in words that follow the address; null where it may. Only addresses of the public internet pass:
 * what is private, local, reserved, a tunnel or a translation leads, or may lead, inside.
 */
export function refuseAddress(address: string, { allowLoopback }: AddressPolicy): string | null {
  if (!ipaddr.isValid(address)) return 'is no IP address';
  // `process` makes an IPv4 address of an IPv4-mapped one, which is what the kernel connects to.
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback ? null : 'is an address of this machine';
  if (range !== 'unicast') return `is not a public address (${range})`;
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return 'is outside of the public IPv6 addresses';
  return null;
}
