import type { Transaction } from '../db/client.ts';
import type { DomainRow } from '../db/queries/domains.ts';
import { announce } from '../events/announce.ts';
import { toDomain } from './domain-record.ts';
import type { DomainTools } from './domain-tools.ts';

/** Announces a domain's new status, if there is an event for it. */
export async function announceDomain(
  transaction: Transaction,
  { ids, own }: Pick<DomainTools, 'ids' | 'own'>,
  row: DomainRow,
  now: Date,
): Promise<void> {
  if (row.status === 'pending' || row.status === 'removed') return;
  const announcement = {
    accountId: row.accountId,
    type: `domain.${row.status}`,
    data: toDomain(row, own, now),
  } as const;
  await announce(transaction, ids, [announcement], now);
}
