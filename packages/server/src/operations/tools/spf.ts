import { toCheckResult } from '../../diagnostics/check-result.ts';
import { checkSpf as lookAt } from '../../diagnostics/check-spf.ts';
import type { Handler } from '../context.ts';
import { checkDomain } from './check-domain.ts';

export const checkSpf: Handler<'tools.spf'> = async ({ body: { domain } }, { services: { database, diagnostics } }) => {
  const result = await checkDomain(diagnostics, domain, (dns) => lookAt(dns, domain));
  return { body: toCheckResult('spf', domain, result, database.clock.now()) };
};
