import { toDomain } from '../../sending-domains/domain-record.ts';
import { removeDomain } from '../../sending-domains/remove-domain.ts';
import type { Handler } from '../context.ts';
import { assertDomainId, unknownDomain } from './domain-problems.ts';

export const deleteDomain: Handler<'domains.delete'> = async (
  { params },
  { services: { database, domains }, caller },
) => {
  assertDomainId(params.id);
  const { clock } = database;
  const row = await removeDomain(domains.tools, { accountId: caller.accountId, id: params.id }, caller.keyId);
  if (row === null) throw unknownDomain(params.id);
  return { body: toDomain(row, domains.tools.own, clock.now()) };
};
