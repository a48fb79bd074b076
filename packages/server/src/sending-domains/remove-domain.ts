import { LIMITS } from '@postrider/core';
import { appendAudit } from '../db/queries/audit-log.ts';
import { changeDomain, type DomainRow, forgetRemovedDomains, lockDomain, readDomain } from '../db/queries/domains.ts';
import { auditDomain, type DomainReference, type DomainTools } from './domain-tools.ts';

/**
 * Removes a domain and keeps its keys. After the commit, sends from it are refused. Returns null if it does not exist or was already
 * removed.
 */
export async function removeDomain(
  { sql, clock, ids }: DomainTools,
  { accountId, id }: DomainReference,
  actor: string,
): Promise<DomainRow | null> {
  return await sql.begin(async (transaction) => {
    const domain = await lockDomain(transaction, accountId, id);
    if (domain === null || domain.status === 'removed') return null;
    const now = clock.now();
    await changeDomain(transaction, accountId, id, {
      ...domain,
      status: 'removed',
      statusSince: now,
      statusReason: null,
      nextCheckAt: null,
      verifiedAt: null,
      claimedAt: null,
      removedAt: now,
    });
    await forgetRemovedDomains(transaction, accountId, LIMITS.removedDomainsPerAccount);
    const details = { name: domain.name, from: domain.status };
    await appendAudit(transaction, [auditDomain(ids, domain, 'domain.removed', { actor, now }, details)]);
    return await readDomain(transaction, accountId, id);
  });
}
