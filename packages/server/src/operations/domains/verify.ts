import { toDomain } from '../../sending-domains/domain-record.ts';
import type { Handler } from '../context.ts';
import { assertDomainId, claimed, unknownDomain } from './domain-problems.ts';

/** Checks the DNS records of a domain now. */
export const verifyDomain: Handler<'domains.verify'> = async (
  { params },
  { services: { database, domains }, caller },
) => {
  assertDomainId(params.id);
  const { clock } = database;
  const reference = { accountId: caller.accountId, id: params.id };
  const checked = await domains.checker.check(reference, { actor: caller.keyId, restarts: true });
  if (checked === null) throw unknownDomain(params.id);
  const { domain, claim } = checked;
  if (claim !== null) throw claimed(domain.name, claim, 'verify');
  return { body: toDomain(domain, domains.tools.own, clock.now()) };
};
