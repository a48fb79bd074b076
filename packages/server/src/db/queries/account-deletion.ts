import { builder, named } from '../builder.ts';
import type { Query, Sql } from '../client.ts';
import { and, eq, isNotNull, isNull, lte, or, sql } from '../drizzle.ts';
import { executing, pg, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { installation } from '../schema/installation.ts';
import { apiKeys } from '../schema/keys.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { forgetUnseated } from './users.ts';

const { deletionScheduledAt, erasingAt } = accounts;
const ID = { id: accounts.id };

const schedule = defineStatement({ ...ID, at: deletionScheduledAt }, ({ id, at }) =>
  builder
    .update(accounts)
    .set({ deletionScheduledAt: at })
    .where(and(eq(accounts.id, id), isNull(deletionScheduledAt)))
    .returning(named(ID)),
);

const readScheduled = defineStatement(ID, ({ id }) =>
  builder
    .select(named({ at: deletionScheduledAt }))
    .from(accounts)
    .where(eq(accounts.id, id)),
);

/** Schedules an account's deletion unless it is already scheduled; returns the scheduled time. */
export async function scheduleDeletionOf(
  query: Query,
  accountId: string,
  at: Date,
): Promise<{ readonly scheduledAt: Date; readonly isNew: boolean }> {
  const changed = await schedule(query, { id: accountId, at });
  const [row] = await readScheduled(query, { id: accountId });
  return { scheduledAt: row?.at ?? at, isNew: changed.length > 0 };
}

const cancel = defineStatement(ID, ({ id }) =>
  builder
    .update(accounts)
    .set({ deletionScheduledAt: sql`NULL` })
    .where(and(eq(accounts.id, id), isNotNull(deletionScheduledAt), isNull(erasingAt)))
    .returning(named(ID)),
);

/** Returns false if no deletion was scheduled, or if erasure has already begun. */
export async function cancelDeletionOf(query: Query, accountId: string): Promise<boolean> {
  return (await cancel(query, { id: accountId })).length > 0;
}

const readDue = defineStatement({ now: deletionScheduledAt }, ({ now }) =>
  builder
    .select(named(ID))
    .from(accounts)
    .where(or(lte(deletionScheduledAt, now), isNotNull(erasingAt)))
    .orderBy(accounts.id),
);

/** Returns the accounts whose scheduled deletion is due, and those whose erasure began but did not finish. */
export async function readAccountsToErase(query: Query, now: Date): Promise<readonly string[]> {
  return (await readDue(query, { now })).map(({ id }) => id);
}

const begin = defineStatement({ ...ID, now: erasingAt, onlyIfDue: value<boolean>() }, ({ id, now, onlyIfDue }) =>
  builder
    .update(accounts)
    .set({
      erasingAt: sql`coalesce(${erasingAt}, ${now})`,
      suspendedAt: sql`coalesce(${accounts.suspendedAt}, ${now})`,
      deletionScheduledAt: sql`coalesce(${deletionScheduledAt}, ${now})`,
    })
    .where(
      and(eq(accounts.id, id), or(isNotNull(erasingAt), lte(deletionScheduledAt, now), sql`NOT ${onlyIfDue}::boolean`)),
    )
    .returning(named(ID)),
);

const removeKeys = defineStatement({ accountId: apiKeys.accountId }, ({ accountId }) =>
  builder.delete(apiKeys).where(eq(apiKeys.accountId, accountId)),
);

/**
 * Begins to erase an account: it can no longer be restored, its keys are deleted, and it sends nothing. Returns false if the account does
 * not exist or, with `onlyIfDue`, if its deletion is not due because it was canceled in the meantime.
 */
export async function beginErasure(pool: Sql, accountId: string, now: Date, onlyIfDue: boolean): Promise<boolean> {
  return await pool.begin(async (transaction) => {
    const begun = await begin(transaction, { id: accountId, now, onlyIfDue });
    if (begun.length === 0) return false;
    await removeKeys(transaction, { accountId });
    return true;
  });
}

const readTables = defineStatement({}, () =>
  returning(
    {
      /** Quoted if necessary. A partitioned table is listed as its partitions. */
      name: pg.text,
      /** Whether its rows can be very large. */
      hasFiles: pg.bool,
    },
    sql`
      SELECT c.oid::regclass::text AS name, EXISTS (SELECT FROM pg_attribute f
        WHERE f.attrelid = c.oid AND f.atttypid = 'bytea'::regtype AND f.attname IN ('content', 'raw')) AS "hasFiles"
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped
      WHERE c.relkind = 'r' AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'accounts'::regclass)
      ORDER BY c.relname`,
  ),
);

/** A table that contains rows of accounts. */
export type AccountTable = RowOf<typeof readTables>;

/** Finds every table with an `account_id` column in the catalog, so that tables added later are included. */
export async function readAccountTables(query: Query): Promise<readonly AccountTable[]> {
  return await readTables(query, {});
}

const allowErasing = defineStatement({ accountId: accounts.id }, ({ accountId }) =>
  executing(sql`SELECT FROM set_config('postrider.erasing_account', ${accountId}, true)`),
);

/** Deletes up to `limit` rows of an account from a table; returns how many it deleted. */
export async function eraseRows(pool: Sql, accountId: string, table: string, limit: number): Promise<number> {
  return await pool.begin(async (transaction) => {
    // The audit log permits deletes only while an account is erased as a whole.
    await allowErasing(transaction, { accountId });
    const { count } = await transaction.run(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE account_id = $1::uuid LIMIT $2::int))`,
      [accountId, limit],
    );
    return count;
  });
}

const removeFacts = defineStatement({ accountId: installation.value }, ({ accountId }) =>
  builder.delete(installation).where(eq(installation.value, accountId)),
);

const remove = defineStatement(ID, ({ id }) => builder.delete(accounts).where(eq(accounts.id, id)));

/** Deletes the account's own row and the installation's records about it. */
export async function eraseAccountRow(pool: Sql, accountId: string): Promise<void> {
  await pool.begin(async (transaction) => {
    await removeFacts(transaction, { accountId });
    await remove(transaction, { id: accountId });
    await forgetUnseated(transaction);
  });
}
