import { toMailauthResolver } from '../diagnostics/mailauth-resolver.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import type { SpfEvaluation } from './check-spf-record.ts';

const MAX_MS = 20_000; // the minimum that RFC 7208 §4.6.4 recommends

/** Evaluates SPF as a receiver would for mail from an address with this return path (RFC 7208), following includes and redirects. */
export async function evaluateSpf(
  dns: DnsResolver,
  { host, address, helo }: { readonly host: string; readonly address: string; readonly helo: string },
): Promise<SpfEvaluation> {
  const resolve = toMailauthResolver(dns);
  // Loaded when the first domain is checked: with its dependencies, it takes up to a fifth of the startup time.
  const { spf } = await import('mailauth/lib/spf/index.js');
  const { status } = await spf({
    sender: `postmaster@${host}`,
    ip: address,
    helo,
    mta: helo,
    maxElapsedTime: MAX_MS,
    // Strict, because some receivers refuse what others tolerate.
    strict: true,
    // The library's types allow only lists of text. For MX it accepts what Node returns: records with priority and exchange.
    resolver: (name, type) => resolve(name, type) as Promise<string[]>,
  });
  return { address, result: status.result, comment: status.comment || status.result };
}
