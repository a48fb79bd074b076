import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { executing, pg } from '../result.ts';
import { keySends } from '../schema/keys.ts';
import { defineStatement, value } from '../statement.ts';
import { refuseItems } from './failed-items.ts';

const SEND_CHARGE = {
  account_id: keySends.accountId,
  key_id: keySends.keyId,
  period: keySends.period,
  starts_at: keySends.startsAt,
  sends: keySends.sends,
  allowed: keySends.sends,
  /** The items that it counts, by their places in the batch. */
  items: pg.int4Array,
};

/** What the batch adds to what a limited key has sent in a period: the statement writes it only where it stays within what is allowed. */
export type SendCharge = RecordOf<typeof SEND_CHARGE>;

/**
 * What is in a statement only where a key has send limits: a row a key and period, which begins again with each hour or day. A process whose
 * clock is behind counts on in the period that has begun.
 */
export function sendLimits(charges: SQL): SQL {
  const before = sql`CASE WHEN s.starts_at >= excluded.starts_at THEN s.sends ELSE 0 END`;
  return sql`
  send_charges AS MATERIALIZED (
    SELECT * FROM json_to_recordset(${charges}::text::json) AS c (${sql.raw(recordColumns(SEND_CHARGE))})
  ),
  sent AS (
    INSERT INTO key_sends AS s (account_id, key_id, period, starts_at, sends)
    SELECT account_id, key_id, period, starts_at, sends FROM send_charges WHERE sends <= allowed ORDER BY account_id, key_id, period
    ON CONFLICT (account_id, key_id, period) DO UPDATE
      SET sends = ${before} + excluded.sends, starts_at = greatest(s.starts_at, excluded.starts_at)
      WHERE ${before} + excluded.sends <= (SELECT c.allowed FROM send_charges c WHERE c.account_id = excluded.account_id
        AND c.key_id = excluded.key_id AND c.period = excluded.period)
    RETURNING account_id, key_id, period
  )`;
}

/** The items that would go beyond a send limit, with their rule. */
export const BEYOND_SEND_LIMITS = sql`
    SELECT unnest(c.items) AS o, 'sendLimit'::text AS rule FROM send_charges c
      WHERE NOT EXISTS (SELECT FROM sent s WHERE s.account_id = c.account_id AND s.key_id = c.key_id AND s.period = c.period)`;

const countSends = defineStatement({ charges: value<string>() }, ({ charges }) =>
  executing(sql`
    WITH ${sendLimits(charges)},
    failed AS (${BEYOND_SEND_LIMITS})
    SELECT FROM ${refuseItems(sql`failed`)}`),
);

/**
 * Counts sends that no statement of the accept queue counts. If one would go beyond its limit it fails with SQLSTATE PR001 and names its items,
 * as accepting does; the transaction is then over.
 */
export async function chargeSends(transaction: Query, charges: readonly SendCharge[]): Promise<void> {
  if (charges.length > 0) await countSends(transaction, { charges: JSON.stringify(charges) });
}
