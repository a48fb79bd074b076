import { LIMITS } from '@postrider/core';
import { appendAudit } from '../db/queries/audit-log.ts';
import { hasDomain } from '../db/queries/domain-names.ts';
import { changeDomain, countForAddition, lockDomain, readDomain } from '../db/queries/domains.ts';
import type { BeginRefusal } from './add-domain.ts';
import { beginPending } from './domain-status.ts';
import { auditDomain, type DomainReference, type DomainTools } from './domain-tools.ts';
import { holdName, proveName } from './hold-name.ts';

/**
 * Restores a removed domain with its keys. `there` means that it was not removed. Returns null if the account has no domain with this id.
 */
export async function restoreDomain(
  tools: DomainTools,
  { accountId, id }: DomainReference,
  actor: string,
): Promise<BeginRefusal | { readonly kind: 'restored' } | { readonly kind: 'there' } | null> {
  const before = await readDomain(tools.sql, accountId, id);
  if (before === null) return null;
  const asked = await proveName(tools, before);
  return await tools.names.begin(async (transaction) => {
    const used = await countForAddition(transaction, accountId);
    const domain = await lockDomain(transaction, accountId, id);
    if (domain?.status !== 'removed') return { kind: 'there' };
    if (await hasDomain(transaction, accountId, domain.name)) return { kind: 'exists' };
    if (used >= LIMITS.domainsPerAccount) return { kind: 'too-many' };
    const now = tools.clock.now();
    const verdict = await holdName(transaction, tools, domain, asked, { actor, now });
    if (verdict.kind === 'held') return { kind: 'claimed', claim: verdict.claim };
    await changeDomain(transaction, accountId, id, {
      status: 'pending',
      statusSince: beginPending(now).since,
      statusReason: null,
      nextCheckAt: now,
      checks: {},
      verifiedAt: null,
      lastCheckedAt: null,
      claimedAt: verdict.claimedAt,
      removedAt: null,
    });
    const restored = auditDomain(tools.ids, domain, 'domain.restored', { actor, now }, { name: domain.name });
    await appendAudit(transaction, [restored, ...verdict.entries]);
    return { kind: 'restored' };
  });
}
