import { getDomain } from 'tldts';

/** The registered domain that contains a name (RFC 7489 §3.2), from the public suffix list; the name itself if it is a public suffix. */
export function organizationalDomain(name: string): string {
  return getDomain(name) ?? name;
}
