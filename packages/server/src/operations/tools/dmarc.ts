import { checkDmarc as lookAt } from '../../diagnostics/check-dmarc.ts';
import { toCheckResult } from '../../diagnostics/check-result.ts';
import type { Handler } from '../context.ts';
import { checkDomain } from './check-domain.ts';

export const checkDmarc: Handler<'tools.dmarc'> = async (
  { body: { domain } },
  { services: { database, diagnostics } },
) => {
  const result = await checkDomain(diagnostics, domain, (dns) => lookAt(dns, domain));
  return { body: toCheckResult('dmarc', domain, result, database.clock.now()) };
};
