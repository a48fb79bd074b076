import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';

const MAX_LABEL_OCTETS = 63;
/** RFC 1035 §2.3.4 allows 255 octets on the wire, which are 253 characters as names are written. */
const MAX_NAME_CHARACTERS = 253;

/**
 * A name as it is asked for: A-labels in lower case, without the dot at the end. Null where no such name can exist: empty, a label of
 * none or more than 63 octets, more than 253 characters in all, blanks or control characters, or what IDNA refuses. Labels with underscores
 * and others that are no host name are names of the DNS all the same (RFC 2181 §11).
 */
export function toDnsName(name: string): string | null {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  const ascii = /^[\0-\x7f]*$/.test(bare) ? bare.toLowerCase() : domainToASCII(bare);
  if (!/^[!-~]+$/.test(ascii) || ascii.length > MAX_NAME_CHARACTERS) return null;
  const fits = ascii.split('.').every((label) => label !== '' && label.length <= MAX_LABEL_OCTETS);
  return fits ? ascii : null;
}

/** The name under which the names of an address are found (RFC 1035 §3.5, RFC 3596 §2.5); null where it is no address. */
export function reverseName(address: string): string | null {
  if (isIP(address) === 0) return null;
  const parsed = ipaddr.process(address);
  const octets = parsed.toByteArray();
  if (parsed.kind() === 'ipv4') return `${octets.toReversed().join('.')}.in-addr.arpa`;
  const nibbles = octets.flatMap((octet) => [octet >> 4, octet & 15]).map((nibble) => nibble.toString(16));
  return `${nibbles.toReversed().join('.')}.ip6.arpa`;
}
