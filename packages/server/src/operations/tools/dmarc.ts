import { toCheckAnswer } from '../../diagnostics/check-answer.ts';
import { checkDmarc as lookAt } from '../../diagnostics/check-dmarc.ts';
import type { Handler } from '../context.ts';
import { checkDomain } from './check-domain.ts';

export const checkDmarc: Handler<'tools.dmarc'> = async ({ body: { domain } }, { services }) => {
  const result = await checkDomain(services, domain, (dns) => lookAt(dns, domain));
  return { body: toCheckAnswer('dmarc', domain, result, services.clock.now()) };
};
