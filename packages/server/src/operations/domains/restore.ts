import { readDomain } from '../../db/queries/domains.ts';
import { toDomain } from '../../sending-domains/domain-record.ts';
import { restoreDomain as restore } from '../../sending-domains/restore-domain.ts';
import type { Handler } from '../context.ts';
import { assertDomainId, cannotBegin, unknownDomain } from './domain-problems.ts';

/** Restores a removed domain. The response is sent at once; the DNS lookup of its records follows in the background. */
export const restoreDomain: Handler<'domains.restore'> = async (
  { params },
  { services: { database, domains }, caller },
) => {
  assertDomainId(params.id);
  const { sql, clock } = database;
  const reference = { accountId: caller.accountId, id: params.id };
  const verdict = await restore(domains.tools, reference, caller.keyId);
  const row = verdict === null ? null : await readDomain(sql, caller.accountId, params.id);
  if (verdict === null || row === null) throw unknownDomain(params.id);
  if (verdict.kind !== 'restored' && verdict.kind !== 'there')
    throw cannotBegin(verdict, row.name, { again: 'restore the domain', path: 'id' });
  if (verdict.kind === 'restored') domains.checker.checkSoon(reference, caller.keyId);
  return { body: toDomain(row, domains.tools.own, clock.now()) };
};
