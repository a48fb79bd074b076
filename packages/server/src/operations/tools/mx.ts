import { checkMx as lookAt } from '../../diagnostics/check-mx.ts';
import { toCheckResult } from '../../diagnostics/check-result.ts';
import type { Handler } from '../context.ts';
import { checkDomain } from './check-domain.ts';

export const checkMx: Handler<'tools.mx'> = async ({ body: { domain } }, { services }) => {
  const result = await checkDomain(services, domain, (dns) => lookAt(dns, domain, services.diagnostics));
  return { body: toCheckResult('mx', domain, result, services.clock.now()) };
};
