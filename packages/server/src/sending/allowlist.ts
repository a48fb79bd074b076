import { foldAddress, parseMailbox, toAsciiDomain } from '@postrider/core';

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

/** Whether everybody whom the `inner` list allows is allowed by the `outer` one: entry by entry, which may refuse a list that would add up. */
export function isAllowlistWithin(inner: readonly string[] | null, outer: readonly string[] | null): boolean {
  if (outer === null) return true;
  if (inner === null) return false;
  return inner.every((entry) => outer.some((wide) => isWithin(foldAddress(entry), foldAddress(wide))));
}

function isWithin(entry: string, wide: string): boolean {
  if (entry === wide) return true;
  if (wide.startsWith('*.')) {
    // `*.a.b` lies within `*.b`, whose domain is a suffix of its own.
    const domain = entry.startsWith('*.') ? entry.slice(2) : entry.slice(entry.lastIndexOf('@') + 1);
    return domain.endsWith(wide.slice(1)) && domain.length > wide.length - 1;
  }
  return wide.startsWith('@') && !entry.startsWith('@') && !entry.startsWith('*.') && entry.endsWith(wide);
}

/** The entries as they are stored and compared, folded and with A-labels; the second list names what is no entry. */
export function normalizeAllowlist(given: readonly string[]): {
  readonly entries: readonly string[];
  readonly unknown: readonly string[];
} {
  const parsed = given.map((text) => ({ text, entry: normalizeEntry(text.trim()) }));
  return {
    entries: parsed.flatMap(({ entry }) => (entry === null ? [] : [entry])),
    unknown: parsed.flatMap(({ text, entry }) => (entry === null ? [text] : [])),
  };
}

function normalizeEntry(text: string): string | null {
  const prefix = text.startsWith('*.') ? '*.' : text.startsWith('@') ? '@' : null;
  if (prefix !== null) {
    const domain = toAsciiDomain(text.slice(prefix.length));
    return domain === null ? null : `${prefix}${domain}`;
  }
  const verdict = parseMailbox(text);
  // A star is allowed before the @, but who writes one here means a pattern, and there is none of that form.
  if (!verdict.ok || verdict.mailbox.name !== null || verdict.mailbox.local.includes('*')) return null;
  return foldAddress(verdict.mailbox.address);
}
