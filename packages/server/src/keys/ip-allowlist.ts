import ipaddr from 'ipaddr.js';

/** Four decimal parts only, because programs disagree about other spellings of IPv4 addresses. */
const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const IPV6 = /^[0-9a-f]*:[0-9a-f:]*(?:(?:\d{1,3}\.){3}\d{1,3})?$/i;
const PREFIX = /^\d{1,3}$/;

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Normalizes a network for storage and comparison: CIDR with the host bits zeroed, and IPv4-mapped networks as IPv4 (RFC 4291, section
 * 2.5.5.2). A bare address becomes a network of one address. Returns null if the text is not a network.
 */
export function normalizeNetwork(text: string): string | null {
  const range = readRange(text);
  return range === null ? null : toText(range);
}

/** Whether a client address is in one of the networks. Null allows every address; an unreadable address is in no network. */
export function isAddressAllowed(address: string, networks: readonly string[] | null): boolean {
  if (networks === null) return true;
  // A link-local address may end with the name of its interface.
  const bare = address.split('%', 1)[0] ?? '';
  if (!ipaddr.isValid(bare)) return false;
  const client = ipaddr.process(bare);
  return networks.some((network) => holds(network, [client, client.kind() === 'ipv4' ? 32 : 128]));
}

/** Whether every address of `inner` is in one of the `outer` networks. */
export function areNetworksWithin(inner: readonly string[] | null, outer: readonly string[] | null): boolean {
  if (outer === null) return true;
  if (inner === null) return false;
  return inner.every((network) => {
    const range = readRange(network);
    return range !== null && outer.some((wide) => holds(wide, range));
  });
}

function holds(network: string, [address, bits]: Range): boolean {
  const range = readRange(network);
  if (range === null || range[0].kind() !== address.kind()) return false;
  // Both have the same kind, which the overloads of `match` cannot express.
  return range[1] <= bits && (address as ipaddr.IPv4).match(range[0] as ipaddr.IPv4, range[1]);
}

function readRange(text: string): Range | null {
  const [host = '', prefix, ...rest] = text.trim().split('/');
  const isV4 = IPV4.test(host);
  if (rest.length > 0 || !(isV4 || IPV6.test(host)) || !ipaddr.isValid(host)) return null;
  if (isV4 && !ipaddr.IPv4.isValidFourPartDecimal(host)) return null;
  if (prefix !== undefined && !PREFIX.test(prefix)) return null;
  const parsed = ipaddr.parse(host);
  const bits = prefix === undefined ? (isV4 ? 32 : 128) : Number(prefix);
  if (bits > (isV4 ? 32 : 128)) return null;
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [parsed.toIPv4Address(), bits - 96] : [parsed, bits];
}

function toText([address, bits]: Range): string {
  const bytes = address.toByteArray();
  const network = bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - index * 8))) & 0xff);
  return `${ipaddr.fromByteArray(network).toString()}/${bits}`;
}
