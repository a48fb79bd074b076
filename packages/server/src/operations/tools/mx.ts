import { checkMx as lookAt } from '../../diagnostics/check-mx.ts';
import { toCheckResult } from '../../diagnostics/check-result.ts';
import type { Handler } from '../context.ts';
import { checkDomain } from './check-domain.ts';

export const checkMx: Handler<'tools.mx'> = async ({ body: { domain } }, { services: { database, diagnostics } }) => {
  const result = await checkDomain(diagnostics, domain, (dns) => lookAt(dns, domain, diagnostics));
  return { body: toCheckResult('mx', domain, result, database.clock.now()) };
};
