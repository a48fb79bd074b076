import type { DiagnosticTools } from '../../diagnostics/diagnostic-tools.ts';
import { hasFalsePunycode } from '../../diagnostics/false-punycode.ts';
import { isPublicName } from '../../diagnostics/public-names.ts';
import type { DnsResolver } from '../../dns/dns-resolver.ts';
import { validationFailed } from '../parse-part.ts';

/**
 * Runs a check of a domain, without authentication and with cached results. In production it looks up only names of the public DNS; in
 * development, whatever the machine's name servers resolve.
 * @throws ProblemError if the domain cannot exist or is not public.
 */
export async function checkDomain<T>(
  { checks, isPublicOnly }: DiagnosticTools,
  domain: string,
  look: (dns: DnsResolver) => Promise<T>,
): Promise<T> {
  if (hasFalsePunycode(domain)) {
    const message = 'has a label that begins with xn-- and is not valid punycode (RFC 3492)';
    throw validationFailed([{ path: 'domain', code: 'invalid_domain', message }]);
  }
  if (isPublicOnly && !isPublicName(domain)) {
    throw validationFailed([{ path: 'domain', code: 'invalid_domain', message: 'must end in a public suffix' }]);
  }
  return await checks.runRecent((lookups) => look(lookups.dns));
}
