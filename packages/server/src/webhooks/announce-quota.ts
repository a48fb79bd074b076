import { QUOTA_THRESHOLDS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { takeQuotaNotices } from '../db/queries/quota-notices.ts';
import { announce } from '../events/announce.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** Tells accounts that they have used 80 % and 100 % of this month's quota, once each. Looked for behind the sends, which it costs nothing. */
export async function announceQuota({
  sql,
  clock,
  ids,
  monthlyQuota: quota,
}: {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly monthlyQuota: number;
}): Promise<void> {
  const now = clock.now();
  const month = `${now.toISOString().slice(0, 7)}-01`;
  await sql.begin(async (transaction) => {
    const notices = await takeQuotaNotices(transaction, { month, quota, thresholds: QUOTA_THRESHOLDS, now });
    const announcements = notices.map(({ accountId, limit, used, threshold: percent }) => {
      // No others were asked for.
      const threshold = percent as (typeof QUOTA_THRESHOLDS)[number];
      return { accountId, type: 'quota.threshold', data: { limit, used, threshold } } as const;
    });
    await announce(transaction, ids, announcements, now);
  });
}
