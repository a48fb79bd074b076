import type { Query, Sql } from '../client.ts';
import { forgetUnseated } from './people.ts';

/** Sets when an account is deleted, where that is not set; answers what then stands. */
export async function scheduleDeletionOf(
  query: Query,
  accountId: string,
  at: Date,
): Promise<{ readonly scheduledAt: Date; readonly isNew: boolean }> {
  const changed = await query`
    UPDATE accounts SET deletion_scheduled_at = ${at} WHERE id = ${accountId} AND deletion_scheduled_at IS NULL RETURNING 1`;
  const [row] = await query<
    { at: Date | null }[]
  >`SELECT deletion_scheduled_at AS at FROM accounts WHERE id = ${accountId}`;
  return { scheduledAt: row?.at ?? at, isNew: changed.length > 0 };
}

/** False where the account was not to be deleted, or is being erased. */
export async function cancelDeletionOf(query: Query, accountId: string): Promise<boolean> {
  const rows = await query`
    UPDATE accounts SET deletion_scheduled_at = NULL
    WHERE id = ${accountId} AND deletion_scheduled_at IS NOT NULL AND erasing_at IS NULL RETURNING 1`;
  return rows.length > 0;
}

/** The accounts whose time is over, and those whose erasure was begun and not finished. */
export async function readAccountsToErase(query: Query, now: Date): Promise<readonly string[]> {
  const rows = await query<{ id: string }[]>`
    SELECT id FROM accounts WHERE deletion_scheduled_at <= ${now} OR erasing_at IS NOT NULL ORDER BY id`;
  return rows.map(({ id }) => id);
}

/**
 * Begins to erase an account: from here on it is not kept any more, its keys are gone and it sends nothing. False where there is no such
 * account, or, with `onlyIfDue`, where its time is not over, since somebody has canceled the deletion meanwhile.
 */
export async function beginErasure(sql: Sql, accountId: string, now: Date, onlyIfDue: boolean): Promise<boolean> {
  return await sql.begin(async (transaction) => {
    const rows = await transaction`
      UPDATE accounts SET erasing_at = coalesce(erasing_at, ${now}), suspended_at = coalesce(suspended_at, ${now}),
        deletion_scheduled_at = coalesce(deletion_scheduled_at, ${now})
      WHERE id = ${accountId} AND (erasing_at IS NOT NULL OR deletion_scheduled_at <= ${now} OR NOT ${onlyIfDue}::boolean) RETURNING 1`;
    if (rows.length === 0) return false;
    await transaction`DELETE FROM api_keys WHERE account_id = ${accountId}`;
    return true;
  });
}

/** A table that holds rows of accounts: of a partitioned one each partition. */
export interface AccountTable {
  /** Quoted where that is needed. */
  readonly name: string;
  /** Whether its rows may be very large. */
  readonly hasFiles: boolean;
}

/** Every table with a column `account_id`, found in the catalog, so that one that is added later is not forgotten. */
export async function readAccountTables(query: Query): Promise<readonly AccountTable[]> {
  return await query<AccountTable[]>`
    SELECT c.oid::regclass::text AS name, EXISTS (SELECT FROM pg_attribute f
      WHERE f.attrelid = c.oid AND f.atttypid = 'bytea'::regtype AND f.attname IN ('content', 'raw')) AS "hasFiles"
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped
    WHERE c.relkind = 'r' AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'accounts'::regclass)
    ORDER BY c.relname`;
}

/** Removes up to `limit` rows of an account from a table; answers how many. */
export async function eraseRows(sql: Sql, accountId: string, table: string, limit: number): Promise<number> {
  return await sql.begin(async (transaction) => {
    // The audit log lets go of an account that is erased as a whole, and of nothing else.
    await transaction`SELECT set_config('postrider.erasing_account', ${accountId}, true)`;
    const { count } = await transaction.unsafe(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE account_id = $1::uuid LIMIT $2::int))`,
      [accountId, limit],
    );
    return count;
  });
}

/** Removes the account's own row, and what the installation remembers of it. */
export async function eraseAccountRow(sql: Sql, accountId: string): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`DELETE FROM installation WHERE value = ${accountId}`;
    await transaction`DELETE FROM accounts WHERE id = ${accountId}`;
    await forgetUnseated(transaction);
  });
}
