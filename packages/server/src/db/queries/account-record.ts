import type { ReputationLevel } from '@postrider/core';
import type { Query } from '../client.ts';

/** An account with what it uses. */
export interface AccountRecordRow {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** Null: the installation's. */
  readonly monthlyQuota: number | null;
  readonly monthlyUsed: number;
  readonly domains: number;
  readonly seats: number;
  readonly trackOpens: boolean;
  readonly trackClicks: boolean;
  readonly reputationLevel: ReputationLevel;
  readonly pausedAt: Date | null;
  readonly deletionScheduledAt: Date | null;
}

/** `month`: the one the quota is counted in, `YYYY-MM-01`. Null where there is no such account. */
export async function readAccountRecord(query: Query, id: string, month: string): Promise<AccountRecordRow | null> {
  const [row] = await query<AccountRecordRow[]>`
    SELECT a.id, a.name, a.plan, a.monthly_quota AS "monthlyQuota", a.track_opens AS "trackOpens", a.track_clicks AS "trackClicks",
      a.reputation_level AS "reputationLevel", a.paused_at AS "pausedAt",
      a.deletion_scheduled_at AS "deletionScheduledAt",
      coalesce((SELECT u.used FROM quota_usage u WHERE u.account_id = a.id AND u.month = ${month}::date), 0) AS "monthlyUsed",
      (SELECT count(*)::int FROM sending_domains d WHERE d.account_id = a.id AND d.status <> 'removed') AS domains,
      (SELECT count(*)::int FROM members m WHERE m.account_id = a.id) AS seats
    FROM accounts a WHERE a.id = ${id}`;
  return row ?? null;
}

/** Null leaves a column as it is. */
export interface AccountChanges {
  readonly name: string | null;
  readonly trackOpens: boolean | null;
  readonly trackClicks: boolean | null;
}

export async function changeAccount(query: Query, id: string, changes: AccountChanges): Promise<void> {
  await query`
    UPDATE accounts SET name = coalesce(${changes.name}::text, name),
      track_opens = coalesce(${changes.trackOpens}::boolean, track_opens),
      track_clicks = coalesce(${changes.trackClicks}::boolean, track_clicks)
    WHERE id = ${id}`;
}
