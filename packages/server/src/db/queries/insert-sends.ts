import type { Query } from '../client.ts';

/** What the batch adds to what a limited key has sent in a period: the statement writes it only where it stays within what is allowed. */
export interface SendCharge {
  readonly account_id: string;
  readonly key_id: string;
  readonly period: 'hour' | 'day';
  readonly starts_at: string;
  readonly sends: number;
  readonly allowed: number;
}

/**
 * What is in the statement only where a key has send limits: a row a key and period, which begins anew with each hour or day. A process whose
 * clock is behind counts on in the period that has begun.
 */
export function sendLimits(parameter: number): { readonly parts: string; readonly refusal: string } {
  const before = 'CASE WHEN s.starts_at >= excluded.starts_at THEN s.sends ELSE 0 END';
  return {
    parts: `send_charges AS MATERIALIZED (
    SELECT account_id, key_id, period, starts_at, sends, allowed
    FROM json_to_recordset($${parameter}::text::json) AS c (account_id uuid, key_id uuid, period text, starts_at timestamptz, sends integer, allowed integer)
  ),
  sent AS (
    INSERT INTO key_sends AS s (account_id, key_id, period, starts_at, sends)
    SELECT account_id, key_id, period, starts_at, sends FROM send_charges WHERE sends <= allowed ORDER BY account_id, key_id, period
    ON CONFLICT (account_id, key_id, period) DO UPDATE
      SET sends = ${before} + excluded.sends, starts_at = greatest(s.starts_at, excluded.starts_at)
      WHERE ${before} + excluded.sends <= (SELECT c.allowed FROM send_charges c WHERE c.account_id = excluded.account_id
        AND c.key_id = excluded.key_id AND c.period = excluded.period)
    RETURNING 1
  ),`,
    refusal: 'OR (SELECT count(*) FROM sent) < (SELECT count(*) FROM send_charges)',
  };
}

/** Counts sends that no statement of the accept queue counts. Where one would go beyond its limit it fails with SQLSTATE PR001, as accepting does. */
export async function chargeSends(transaction: Query, charges: readonly SendCharge[]): Promise<void> {
  if (charges.length === 0) return;
  const { parts, refusal } = sendLimits(1);
  const withParts = parts.trimEnd().slice(0, -1);
  await transaction.unsafe(`WITH ${withParts} SELECT refuse_stale_acceptance(false ${refusal})`, [
    JSON.stringify(charges),
  ]);
}
