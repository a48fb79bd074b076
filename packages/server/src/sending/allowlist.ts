import { foldAddress, parseMailbox, toAsciiDomain } from '@postrider/core';

/**
 * Whether a recipient is on a key's allowlist. Entries: `a@b.c` (exactly that address), `@b.c` (every address at exactly that domain),
 * `*.b.c` (every address at any subdomain, but not at the domain itself). Case is ignored. Null allows every address; an empty list allows
 * none.
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

/**
 * Whether `outer` allows every address that `inner` allows. Compares entry by entry, so it may refuse a list that is only covered by
 * several entries together.
 */
export function isAllowlistWithin(inner: readonly string[] | null, outer: readonly string[] | null): boolean {
  if (outer === null) return true;
  if (inner === null) return false;
  return inner.every((entry) => outer.some((wide) => isWithin(foldAddress(entry), foldAddress(wide))));
}

function isWithin(entry: string, wide: string): boolean {
  if (entry === wide) return true;
  if (wide.startsWith('*.')) {
    // `*.a.b` is within `*.b`, because `a.b` is a subdomain of `b`.
    const domain = entry.startsWith('*.') ? entry.slice(2) : entry.slice(entry.lastIndexOf('@') + 1);
    return domain.endsWith(wide.slice(1)) && domain.length > wide.length - 1;
  }
  return wide.startsWith('@') && !entry.startsWith('@') && !entry.startsWith('*.') && entry.endsWith(wide);
}

/** The entries as they are stored and compared: folded and with A-labels. The second list contains the invalid entries. */
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
  // An asterisk is valid before the @, but a caller who writes one here means a pattern, and no pattern has that form.
  if (!verdict.ok || verdict.mailbox.name !== null || verdict.mailbox.local.includes('*')) return null;
  return foldAddress(verdict.mailbox.address);
}
