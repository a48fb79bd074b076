import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';

const MAX_LABEL_BYTES = 63;
/** RFC 1035 §2.3.4 allows 255 bytes on the wire, which are 253 characters in text form. */
const MAX_NAME_CHARACTERS = 253;

/**
 * A name in query form: A-labels in lowercase, without the trailing dot. Null for an impossible name: empty, a label of
 * 0 or more than 63 bytes, more than 253 characters in total, white space or control characters, or a name that IDNA
 * rejects. Labels with underscores and others that are not valid in host names are valid DNS names (RFC 2181 §11).
 */
export function toDnsName(name: string): string | null {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  const ascii = /^[\0-\x7f]*$/.test(bare) ? bare.toLowerCase() : domainToASCII(bare);
  if (!/^[!-~]+$/.test(ascii) || ascii.length > MAX_NAME_CHARACTERS) return null;
  const fits = ascii.split('.').every((label) => label !== '' && label.length <= MAX_LABEL_BYTES);
  return fits ? ascii : null;
}

/** The name for a reverse lookup of an address (RFC 1035 §3.5, RFC 3596 §2.5); null if it is not an address. */
export function reverseName(address: string): string | null {
  if (isIP(address) === 0) return null;
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  if (parsed.kind() === 'ipv4') return `${bytes.toReversed().join('.')}.in-addr.arpa`;
  const nibbles = bytes.flatMap((byte) => [byte >> 4, byte & 15]).map((nibble) => nibble.toString(16));
  return `${nibbles.toReversed().join('.')}.ip6.arpa`;
}
