import { LIMITS, type OperationById, type OperationOutput } from '@postrider/core';
import { readAccountRecord } from '../../db/queries/account-record.ts';
import { quotaMonth, quotaResetsAt } from '../../sending/quota.ts';
import type { Services } from '../context.ts';

type AccountRecord = OperationOutput<OperationById<'account.get'>>;

/** The account as reads return it. */
export async function readAccount(
  { database, installation }: Pick<Services, 'database' | 'installation'>,
  accountId: string,
): Promise<AccountRecord> {
  const now = database.clock.now();
  const row = await readAccountRecord(database.sql, accountId, quotaMonth(now), installation.monthlyQuota);
  if (row === null) throw new Error(`the account ${accountId} of a key is gone`);
  const { domains, seats, pausedAt, deletionScheduledAt, approvalsNeedPasskey, approvalsNeeded, ...account } = row;
  return {
    ...account,
    quotaResetsAt: quotaResetsAt(now).toISOString(),
    domains: { used: domains, limit: LIMITS.domainsPerAccount },
    seats: { used: seats, limit: LIMITS.seatsPerAccount },
    retentionDays: installation.retention.bodyDays,
    approvers: { requirePasskey: approvalsNeedPasskey, count: approvalsNeeded },
    pausedAt: pausedAt?.toISOString() ?? null,
    deletionScheduledAt: deletionScheduledAt?.toISOString() ?? null,
    sandboxDomain: installation.sandboxDomain,
  };
}
