import { builder, named } from '../builder.ts';
import { sql } from '../drizzle.ts';
import type { Query, Transaction } from '../query.ts';
import { unnested } from '../record-columns.ts';
import { executing, pg, returning } from '../result.ts';
import { schemaMigrations } from '../schema/installation.ts';
import { defineStatement, value } from '../statement.ts';

const { name, checksum } = schemaMigrations;

const takeLock = defineStatement({ lock: value<number>() }, ({ lock }) =>
  executing(sql`SELECT FROM pg_advisory_xact_lock(${lock}::int)`),
);

/** Waits until other processes finish migrating, for as long as they take. The lock is released when the transaction ends. */
export async function lockSchema(transaction: Transaction, lock: number): Promise<void> {
  await transaction.run('SET LOCAL statement_timeout = 0');
  await takeLock(transaction, { lock });
}

const readVersion = defineStatement({}, () =>
  returning(
    { number: pg.int4, text: pg.text },
    sql`SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS text`,
  ),
);

/** The version of the server, such as 180001 and `18.1`. */
export async function readServerVersion(
  query: Query,
): Promise<{ readonly number: number; readonly text: string } | null> {
  const [version] = await readVersion(query, {});
  return version ?? null;
}

const lookForHistory = defineStatement({}, () =>
  returning({ exists: pg.bool }, sql`SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`),
);

/** Whether any migration has ever run. */
export async function hasHistory(query: Query): Promise<boolean> {
  const [row] = await lookForHistory(query, {});
  return row?.exists === true;
}

/** Creates the table of the migrations that ran, if it is missing. */
export async function createHistory(query: Query): Promise<void> {
  await query.run(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
}

const readDone = defineStatement({}, () => builder.select(named({ name, checksum })).from(schemaMigrations));

/** The checksums of the migrations that ran, by name. */
export async function readHistory(query: Query): Promise<ReadonlyMap<string, string>> {
  const rows = await readDone(query, {});
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

const insertMigration = defineStatement({ name, checksum }, (migration) =>
  builder.insert(schemaMigrations).values(migration),
);

export async function recordMigration(
  query: Query,
  migration: { readonly name: string; readonly checksum: string },
): Promise<void> {
  await insertMigration(query, { name: migration.name, checksum: migration.checksum });
}

const readMissing = defineStatement({ roles: value<readonly string[]>() }, ({ roles }) =>
  returning(
    { user: pg.text, missing: pg.textArray },
    sql`
      SELECT current_user::text AS user, array_agg(wanted ORDER BY wanted) AS missing FROM ${unnested({ wanted: pg.text }, { wanted: roles })} AS wanted
      WHERE NOT coalesce((SELECT pg_has_role(current_user, oid, 'USAGE') FROM pg_roles WHERE rolname = wanted), false)
      HAVING count(*) > 0`,
  ),
);

/** The roles whose privileges the current user lacks, with its name; null if it has all of them. */
export async function readMissingRoles(
  query: Query,
  roles: readonly string[],
): Promise<{ readonly user: string; readonly missing: readonly string[] } | null> {
  const [row] = await readMissing(query, { roles });
  return row ?? null;
}
