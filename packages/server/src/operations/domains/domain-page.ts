import type { Domain } from '@postrider/core';
import { countDomains, listDomains } from '../../db/queries/domains.ts';
import type { StoredDomainStatus } from '../../db/schema/domains.ts';
import { toDomain } from '../../sending-domains/domain-record.ts';
import type { KeyedContext } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { EXACT_COUNT_CAP } from '../total.ts';

/** A page of domains, newest first: either current or removed ones. */
export async function domainPage(
  { services: { database, domains }, caller }: KeyedContext,
  query: {
    readonly limit: number;
    readonly cursor?: string | undefined;
    readonly status?: StoredDomainStatus | undefined;
    readonly name?: string | undefined;
  },
  removed: boolean,
): Promise<{ domains: Domain[]; total: number; totalIsEstimate: boolean; nextCursor: string | null }> {
  const { accountId } = caller;
  const filters = { status: query.status ?? null, name: query.name ?? null };
  const scope = { list: removed ? 'domain-history' : 'domains', accountId, filters };
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    (asked) =>
      Promise.all([
        listDomains(database.sql, { accountId, removed, ...filters, ...asked }),
        countDomains(database.sql, { accountId, removed, ...filters, cap: EXACT_COUNT_CAP }),
      ]),
    (row) => row.id,
  );
  const now = database.clock.now();
  return { domains: rows.map((row) => toDomain(row, domains.tools.own, now)), ...page };
}
