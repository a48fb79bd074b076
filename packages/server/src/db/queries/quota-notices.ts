import type { Query } from '../client.ts';

export interface QuotaNotice {
  readonly accountId: string;
  readonly limit: number;
  readonly used: number;
  /** Percent. */
  readonly threshold: number;
}

/**
 * The thresholds that accounts have reached in a month and were not told of, each once: who takes one has to tell it in the same transaction.
 * Only of accounts whose events are stored. `quota`: of accounts that have none of their own.
 */
export async function takeQuotaNotices(
  transaction: Query,
  {
    month,
    quota,
    thresholds,
    now,
  }: {
    readonly month: string;
    readonly quota: number;
    readonly thresholds: readonly number[];
    readonly now: Date;
  },
): Promise<readonly QuotaNotice[]> {
  return await transaction<QuotaNotice[]>`
    WITH reached AS (
      SELECT u.account_id, u.used, coalesce(a.monthly_quota, ${quota}) AS quota, t.threshold
      FROM event_takers k JOIN accounts a ON a.id = k.account_id
      JOIN quota_usage u ON u.account_id = k.account_id AND u.month = ${month}::date
      CROSS JOIN unnest(${thresholds.map(String)}::text[]::integer[]) AS t (threshold)
      WHERE k.has_endpoints OR k.streaming_until > now()
    ),
    told AS (
      INSERT INTO quota_notices (account_id, month, threshold, told_at)
      SELECT account_id, ${month}::date, threshold, ${now} FROM reached
      WHERE quota > 0 AND used::bigint * 100 >= quota::bigint * threshold
      ON CONFLICT (account_id, month, threshold) DO NOTHING RETURNING account_id, threshold
    )
    SELECT r.account_id AS "accountId", r.quota AS limit, r.used, r.threshold
    FROM told JOIN reached r ON r.account_id = told.account_id AND r.threshold = told.threshold ORDER BY r.threshold`;
}
