import type { Query } from '../client.ts';

/** Who paused something; null where it is not paused. */
export interface PauseRow {
  readonly isUser: boolean;
  readonly name: string | null;
}

/** The pause of an account, behind its lock. */
export async function lockAccountPause(transaction: Query, accountId: string): Promise<PauseRow | null> {
  await transaction`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
  const [row] = await transaction<PauseRow[]>`
    SELECT coalesce(p.is_seat, true) AS "isUser", p.name FROM accounts a
    LEFT JOIN api_keys p ON p.account_id = a.id AND p.id = a.paused_by
    WHERE a.id = ${accountId} AND a.paused_at IS NOT NULL`;
  return row ?? null;
}

/** The pause of a key that the caller has locked. */
export async function readKeyPause(transaction: Query, accountId: string, keyId: string): Promise<PauseRow | null> {
  const [row] = await transaction<PauseRow[]>`
    SELECT coalesce(p.is_seat, true) AS "isUser", p.name FROM api_keys k
    LEFT JOIN api_keys p ON p.account_id = k.account_id AND p.id = k.paused_by
    WHERE k.account_id = ${accountId} AND k.id = ${keyId} AND k.paused_at IS NOT NULL`;
  return row ?? null;
}

/** A pause keeps its time when a user takes it over; null resumes. */
export async function setAccountPause(query: Query, accountId: string, by: string | null, now: Date): Promise<void> {
  await query`
    UPDATE accounts SET paused_at = CASE WHEN ${by}::uuid IS NULL THEN NULL ELSE coalesce(paused_at, ${now}::timestamptz) END,
      paused_by = ${by}::uuid
    WHERE id = ${accountId}`;
}

/** As of setAccountPause. */
export async function setKeyPause(
  query: Query,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
  by: string | null,
  now: Date,
): Promise<void> {
  await query`
    UPDATE api_keys SET paused_at = CASE WHEN ${by}::uuid IS NULL THEN NULL ELSE coalesce(paused_at, ${now}::timestamptz) END,
      paused_by = ${by}::uuid
    WHERE account_id = ${accountId} AND id = ${keyId}`;
}
