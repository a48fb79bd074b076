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
