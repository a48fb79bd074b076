import { toMailauthResolver } from '../diagnostics/mailauth-resolver.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import type { SpfEvaluation } from './check-spf-record.ts';

const MAX_MS = 20_000; // what RFC 7208 §4.6.4 allows at least

/** Asks what a receiver would make of mail from an address with this return path (RFC 7208), includes and redirects followed. */
export async function evaluateSpf(
  dns: DnsResolver,
  { host, address, helo }: { readonly host: string; readonly address: string; readonly helo: string },
): Promise<SpfEvaluation> {
  const resolve = toMailauthResolver(dns);
  // Loaded when the first domain is looked up: with what it brings along it takes as long as a fifth of a start.
  const { spf } = await import('mailauth/lib/spf/index.js');
  const { status } = await spf({
    sender: `postmaster@${host}`,
    ip: address,
    helo,
    mta: helo,
    maxElapsedTime: MAX_MS,
    // By the letter: what some receivers forgive, others refuse.
    strict: true,
    // Its types know lists of text alone; for MX it takes what Node answers, records of priority and exchange.
    resolver: (name, type) => resolve(name, type) as Promise<string[]>,
  });
  return { address, result: status.result, comment: status.comment || status.result };
}
