import ipaddr from 'ipaddr.js';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import type { Blocklists } from './blocklists.ts';
import { createFindings } from './findings.ts';
import { organizationalDomain } from './organizational-domain.ts';
import { describeUnqueried } from './unqueried-lists.ts';

export type BlocklistTarget =
  | { readonly kind: 'address'; readonly target: string }
  | { readonly kind: 'domain'; readonly target: string };

/** Looks a target up in every list of its kind. Never throws. */
export async function checkBlocklist(dns: DnsResolver, blocklists: Blocklists, { kind, target }: BlocklistTarget) {
  const verdicts =
    kind === 'address'
      ? await blocklists.askForAddress(dns, target)
      : await blocklists.askForDomain(dns, [...new Set([target, organizationalDomain(target)])]);
  const findings = createFindings('blocklist');
  for (const { list, status, codes, reason } of verdicts) {
    const words = reason === null ? '' : ` ${reason}`;
    if (status === 'listed') findings.add('blocklist_listed', `${list} returns ${codes.join(', ')}.${words}`);
  }
  const unasked = describeUnqueried(verdicts);
  if (unasked !== null) findings.add('blocklist_could_not_check', unasked);
  const clean = verdicts.filter(({ status }) => status === 'not_listed');
  if (verdicts.length === 0) findings.add('blocklist_none_asked');
  else if (clean.length > 0 && !findings.has('blocklist_listed')) {
    findings.add('blocklist_clean', `Checked lists: ${clean.map(({ list }) => list).join(', ')}.`);
  }
  const records = verdicts.map(({ list, name, status, codes, reason }) => ({
    type: 'A' as const,
    name,
    value: codes[0] ?? null,
    list,
    status,
    codes: [...codes],
    reason,
  }));
  return { records, findings: findings.list() };
}

/** The canonical form of an address; null if the text is not an address. */
export function toAddress(text: string): string | null {
  const isWritten = ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(':') && ipaddr.IPv6.isValid(text));
  return isWritten && !text.includes('%') ? ipaddr.process(text).toString() : null;
}
