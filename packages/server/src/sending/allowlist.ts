import { foldAddress } from '@postrider/core';

/**
 * Whether a recipient is on a key's allowlist. Entries: `a@b.c` (exactly that address), `@b.c` (everyone at exactly that domain),
 * `*.b.c` (everyone at any subdomain of it, not at it). Compared without case. Null allows everyone; an empty list nobody.
 */
export function isAllowed(email: string, allowlist: readonly string[] | null): boolean {
  if (allowlist === null) return true;
  const address = foldAddress(email);
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return allowlist.some((entry) => matches(foldAddress(entry), address, domain));
}

function matches(entry: string, address: string, domain: string): boolean {
  if (entry.startsWith('*.')) return domain.endsWith(entry.slice(1)) && domain.length > entry.length - 1;
  return entry.startsWith('@') ? domain === entry.slice(1) : address === entry;
}
