import { hasFalsePunycode } from '../../diagnostics/false-punycode.ts';
import { isPublicName } from '../../diagnostics/public-names.ts';
import type { DnsResolver } from '../../dns/dns-resolver.ts';
import type { Services } from '../context.ts';
import { validationFailed } from '../parse-part.ts';

/**
 * Runs a check of a domain that anybody may ask for, with recent answers.
 * In production only names of the public DNS are asked for; in development whatever the machine's name servers know.
 * @throws ProblemError where the domain is none that can exist, or no public one.
 */
export async function checkDomain<T>(
  { diagnostics }: Pick<Services, 'diagnostics'>,
  domain: string,
  look: (dns: DnsResolver) => Promise<T>,
): Promise<T> {
  if (hasFalsePunycode(domain)) {
    const message = 'has a label that begins with xn-- and is no punycode (RFC 3492)';
    throw validationFailed([{ path: 'domain', code: 'invalid_domain', message }]);
  }
  const { isPublicOnly } = diagnostics;
  if (isPublicOnly && !isPublicName(domain)) {
    throw validationFailed([{ path: 'domain', code: 'invalid_domain', message: 'must end in a public suffix' }]);
  }
  return await diagnostics.checks.runRecent((lookups) => look(lookups.dns));
}
