import { readDomain } from '../../db/queries/domains.ts';
import { toDomain } from '../../sending-domains/domain-record.ts';
import type { Handler } from '../context.ts';
import { assertDomainId, unknownDomain } from './domain-problems.ts';

/** Reads one domain, current or removed. */
export const getDomain: Handler<'domains.get'> = async ({ params }, { services: { database, domains }, caller }) => {
  assertDomainId(params.id);
  const row = await readDomain(database.sql, caller.accountId, params.id);
  if (row === null) throw unknownDomain(params.id);
  return { body: toDomain(row, domains.tools.own, database.clock.now()) };
};
