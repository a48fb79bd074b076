import { isIPv4, isIPv6 } from 'node:net';

/** How this installation is named in the records of its domains. */
export interface PublicHost {
  /** The host that takes bounces: what MX records name. */
  readonly name: string;
  /** What mail leaves as: the name given in EHLO. */
  readonly helo: string;
  /** The SPF mechanism that stands for it. */
  readonly mechanism: string;
  /** Its address, where it is named by one; null: to be looked up. */
  readonly address: string | null;
}

/**
 * @param heloName a host name, or an address literal such as `[192.0.2.1]` or `[IPv6:2001:db8::1]` (RFC 5321 §4.1.3).
 * @param fallbackName names the host in MX records where it greets with an address: those can hold none.
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
