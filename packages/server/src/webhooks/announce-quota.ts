import { QUOTA_THRESHOLDS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { takeQuotaNotices } from '../db/queries/quota-notices.ts';
import { announce } from '../events/announce.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/**
 * Notifies accounts that they have used 80 % and 100 % of this month's quota, once each: `listening` only those whose events are stored, to
 * which it can be delivered at once. It runs separately from the sends and adds no cost to them.
 */
export async function announceQuota(
  {
    sql,
    clock,
    ids,
    monthlyQuota: quota,
  }: {
    readonly sql: Sql;
    readonly clock: Clock;
    readonly ids: IdGenerator;
    readonly monthlyQuota: number;
  },
  whose: 'listening' | 'all',
): Promise<void> {
  const now = clock.now();
  const month = `${now.toISOString().slice(0, 7)}-01`;
  await sql.begin(async (transaction) => {
    const notices = await takeQuotaNotices(transaction, whose, { month, quota, thresholds: QUOTA_THRESHOLDS, now });
    const announcements = notices.map(({ accountId, limit, used, threshold: percent }) => {
      // Only these types were requested.
      const threshold = percent as (typeof QUOTA_THRESHOLDS)[number];
      return { accountId, type: 'quota.threshold', data: { limit, used, threshold } } as const;
    });
    await announce(transaction, ids, announcements, now);
  });
}
