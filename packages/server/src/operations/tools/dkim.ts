import { checkDkim as lookAt } from '../../diagnostics/check-dkim.ts';
import { toCheckResult } from '../../diagnostics/check-result.ts';
import type { Handler } from '../context.ts';
import { checkDomain } from './check-domain.ts';

export const checkDkim: Handler<'tools.dkim'> = async ({ body }, { services: { database, diagnostics } }) => {
  const { domain, selector = null } = body;
  const result = await checkDomain(diagnostics, domain, (dns) => lookAt(dns, domain, selector));
  return { body: toCheckResult('dkim', domain, result, database.clock.now()) };
};
