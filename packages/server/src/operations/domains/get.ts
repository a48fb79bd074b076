import { readDomain } from '../../db/queries/domains.ts';
import { toDomain } from '../../sending-domains/domain-record.ts';
import type { Handler } from '../context.ts';
import { unknownDomain } from './domain-problems.ts';

/** Reads one domain, removed or not. */
export const getDomain: Handler<'domains.get'> = async ({ params }, { services, caller }) => {
  const row = await readDomain(services.sql, caller.accountId, params.id);
  if (row === null) throw unknownDomain(params.id);
  return { body: toDomain(row, services.domains.tools.own, services.clock.now()) };
};
