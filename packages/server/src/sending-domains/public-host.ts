import { isIPv4, isIPv6 } from 'node:net';

/** How DNS records name this installation. */
export interface PublicHost {
  /** The host that receives bounces, named in MX records. */
  readonly name: string;
  /** The name that the server sends in EHLO. */
  readonly helo: string;
  /** The SPF mechanism that names the host. */
  readonly mechanism: string;
  /** The address, if the SPF mechanism contains it; null if it has to be looked up. */
  readonly address: string | null;
}

/**
 * @param heloName a host name, or an address literal such as `[192.0.2.1]` or `[IPv6:2001:db8::1]` (RFC 5321 §4.1.3)
 * @param fallbackName the host for MX records if `heloName` is an address, because MX records cannot contain addresses
 */
export function toPublicHost(heloName: string, fallbackName: string): PublicHost {
  const literal = /^\[(?:IPv6:)?(.+)\]$/i.exec(heloName)?.[1] ?? null;
  if (literal === null) {
    const name = heloName.toLowerCase();
    return { name, helo: name, mechanism: `a:${name}`, address: null };
  }
  const family = isIPv4(literal) ? 'ip4' : isIPv6(literal) ? 'ip6' : null;
  const name = fallbackName.toLowerCase();
  if (family === null) return { name, helo: heloName, mechanism: `a:${name}`, address: null };
  return { name, helo: heloName, mechanism: `${family}:${literal.toLowerCase()}`, address: literal.toLowerCase() };
}
