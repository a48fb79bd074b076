import type { Domain } from '@postrider/core';
import { countDomains, listDomains } from '../../db/queries/domains.ts';
import type { StoredDomainStatus } from '../../db/schema/domains.ts';
import { toDomain } from '../../sending-domains/domain-record.ts';
import type { KeyedContext } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, EXACT_COUNT_CAP, toTotal } from '../total.ts';

/** A page of domains, newest first: of those in use, or of the removed ones. */
export async function domainPage(
  { services, caller }: KeyedContext,
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
  const before = decodeCursor(query.cursor, scope);
  const [rows, count] = await Promise.all([
    listDomains(services.sql, { accountId, removed, ...filters, before, limit: query.limit + 1 }),
    countDomains(services.sql, { accountId, removed, ...filters, cap: EXACT_COUNT_CAP }),
  ]);
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  const now = services.clock.now();
  return {
    domains: page.map((row) => toDomain(row, services.domains.tools.own, now)),
    ...toTotal(count, countSeen(rows, before)),
    nextCursor: last === undefined ? null : encodeCursor(last.id, scope),
  };
}
