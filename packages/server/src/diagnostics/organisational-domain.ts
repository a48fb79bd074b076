import { getDomain } from 'tldts';

/** The domain somebody registered that a name lies in (RFC 7489 §3.2), by the list of public suffixes; the name itself where it is one. */
export function organisationalDomain(name: string): string {
  return getDomain(name) ?? name;
}
