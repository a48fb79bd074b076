import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { unnested } from '../record-columns.ts';
import { pg, returning } from '../result.ts';
import { quotaNotices, quotaUsage } from '../schema/accounts.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const taking = (accounts: SQL) =>
  defineStatement(
    {
      ...{ month: value<string>(), quota: value<number>() },
      ...{ thresholds: value<readonly number[]>(), now: quotaNotices.toldAt },
    },
    ({ month, quota, thresholds, now }) =>
      returning(
        { accountId: quotaNotices.accountId, limit: pg.int4, used: quotaUsage.used, threshold: pg.int4 },
        sql`
          WITH reached AS (
            SELECT u.account_id, u.used, quota_of(a.monthly_quota, ${quota}) AS quota, t.threshold
            FROM ${accounts}
            JOIN quota_usage u ON u.account_id = a.id AND u.month = ${month}::date
            CROSS JOIN ${unnested({ threshold: quotaNotices.threshold }, { threshold: thresholds })} AS t (threshold)
          ),
          notified AS (
            INSERT INTO quota_notices (account_id, month, threshold, told_at)
            SELECT account_id, ${month}::date, threshold, ${now}::timestamptz FROM reached
            WHERE quota > 0 AND used::bigint * 100 >= quota::bigint * threshold
            ORDER BY account_id, threshold
            ON CONFLICT (account_id, month, threshold) DO NOTHING RETURNING account_id, threshold
          )
          SELECT r.account_id AS "accountId", r.quota AS limit, r.used, r.threshold
          FROM notified JOIN reached r ON r.account_id = notified.account_id AND r.threshold = notified.threshold ORDER BY r.threshold`,
      ),
  );

const takeAll = taking(sql`accounts a`);

const takeListening = taking(
  sql`event_takers k JOIN accounts a ON a.id = k.account_id AND (k.has_endpoints OR k.streaming_until > now())`,
);

/**
 * The thresholds, in percent, that accounts have reached in a month (`YYYY-MM-01`) without a notice. Each is returned once: the caller must
 * send the notice in the same transaction. `listening` reads few rows and includes only accounts whose events are stored. `quota`: the quota
 * of accounts without their own.
 */
export async function takeQuotaNotices(
  transaction: Query,
  whose: 'listening' | 'all',
  given: Parameters<typeof takeAll>[1],
): Promise<readonly RowOf<typeof takeAll>[]> {
  return await (whose === 'all' ? takeAll : takeListening)(transaction, given);
}
