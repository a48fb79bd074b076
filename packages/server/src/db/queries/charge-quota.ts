import { type SQL, sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { pg, returning } from '../result.ts';
import { quotaUsage } from '../schema/accounts.ts';
import { messages } from '../schema/messages.ts';
import { IS_TOGETHER } from '../session-settings.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { refuseItems } from './failed-items.ts';

/** The quota of an account after a batch. */
export const USAGE = { accountId: quotaUsage.accountId, limit: pg.int4, used: pg.int4 };

/** Charges each account if its quota suffices. */
export function charge(month: SQL): SQL {
  return sql`
    INSERT INTO quota_usage AS u (account_id, month, used)
    SELECT account_id, ${month}::date, units FROM charges WHERE units > 0 AND units <= quota ORDER BY account_id
    ON CONFLICT (account_id, month) DO UPDATE SET used = u.used + excluded.used
      WHERE u.used + excluded.used <= (SELECT c.quota FROM charges c WHERE c.account_id = excluded.account_id)
    RETURNING account_id, used`;
}

/** The accounts whose quota seems to suffice, without charging them. */
export function wouldCharge(month: SQL): SQL {
  return sql`
    SELECT c.account_id, coalesce(u.used, 0) + c.units AS used FROM charges c
    LEFT JOIN quota_usage u ON u.account_id = c.account_id AND u.month = ${month}::date
    WHERE c.units > 0 AND coalesce(u.used, 0) + c.units <= c.quota`;
}

const QUOTA_CHARGE = {
  account_id: quotaUsage.accountId,
  units: quotaUsage.used,
  /** The positions in the batch of the account's messages. */
  items: pg.int4Array,
  /** One of these messages. */
  message_id: messages.id,
};

/** What a batch charges an account. */
export type QuotaCharge = RecordOf<typeof QUOTA_CHARGE>;

/**
 * Charges the quota of a batch after its messages are written, in the same transaction, and fails if they are not. If a quota does not suffice,
 * it fails like `acceptBatch`.
 */
export const chargeQuota = defineStatement(
  { charges: value<string>(), month: value<string>(), monthlyQuota: value<number>() },
  ({ charges, month, monthlyQuota }) =>
    returning(
      USAGE,
      sql`
  WITH charges AS MATERIALIZED (
    SELECT c.account_id, c.units, c.items, c.message_id, CASE WHEN a.id IS NULL THEN 0 ELSE quota_of(a.monthly_quota, ${monthlyQuota}) END AS quota
    FROM json_to_recordset(${charges}::text::json) AS c (${sql.raw(recordColumns(QUOTA_CHARGE))})
    LEFT JOIN accounts a ON a.id = c.account_id
  ),
  charged AS (${charge(month)}),
  failed AS (
    SELECT unnest(c.items) AS o, 'quota'::text AS rule FROM charges c
      WHERE c.units > 0 AND NOT EXISTS (SELECT FROM charged x WHERE x.account_id = c.account_id)
  ),
  fresh AS MATERIALIZED (
    SELECT ${refuseItems(sql`failed`)} AS ok, ${failUnless(sql`${WITH_OTHERS} AND NOT EXISTS (
      SELECT FROM charges c WHERE NOT EXISTS (SELECT FROM messages m WHERE m.account_id = c.account_id AND m.id = c.message_id))`)}
  )
  ${usageAfter(month)}`,
    ),
);

/** True in a transaction with the statement that writes the messages. */
export const WITH_OTHERS = sql.raw(IS_TOGETHER);

/** Fails the statement with a division by zero, which counts as a fault of an item: each is then written alone, in a single statement. */
export function failUnless(condition: SQL): SQL {
  return sql`1 / (${condition})::int AS checked`;
}

/** The rows of USAGE, after a charge. */
export function usageAfter(month: SQL): SQL {
  return sql`
  SELECT c.account_id AS "accountId", c.quota AS limit, coalesce(x.used, u.used, 0) AS used
  FROM fresh, charges c
  LEFT JOIN charged x ON x.account_id = c.account_id
  LEFT JOIN quota_usage u ON u.account_id = c.account_id AND u.month = ${month}::date`;
}

export type QuotaUsage = RowOf<typeof chargeQuota>;
