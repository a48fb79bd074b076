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
  /** The positions in the batch of the items that it counts. */
  items: pg.int4Array,
};

/** What a batch adds to a key's sends in a period. The statement writes the batch only if the key stays within its limit. */
export type SendCharge = RecordOf<typeof SEND_CHARGE>;

/**
 * The part of a statement that is present only if a key has send limits. Each key and period has one row, which restarts with each hour or
 * day. A process whose clock is behind adds to the period that has already begun.
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

/** The items that would exceed a send limit, with their rule. */
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
 * Counts sends that do not pass through the accept queue's statement. If a send would exceed its limit, this fails with SQLSTATE PR001 and
 * names the items, as acceptance does; the transaction is then aborted.
 */
export async function chargeSends(transaction: Query, charges: readonly SendCharge[]): Promise<void> {
  if (charges.length > 0) await countSends(transaction, { charges: JSON.stringify(charges) });
}
