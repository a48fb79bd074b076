import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Sql, Transaction } from './client.ts';
import {
  createHistory,
  hasHistory,
  lockSchema,
  readHistory,
  readMissingRoles,
  readServerVersion,
  recordMigration,
} from './queries/schema-history.ts';

const MIGRATIONS = new URL('./migrations/', import.meta.url);
const MINIMUM_POSTGRES = 150_000;
/** An arbitrary number that is the same in every process. */
const LOCK = 7_202_611;

/** The database cannot be used in its current state; `fix` says what to do. */
class MigrationError extends Error {
  override readonly name = 'MigrationError';
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

interface Migration {
  readonly name: string;
  readonly statements: string;
  readonly checksum: string;
}

/**
 * Updates the schema: runs every numbered file of `migrations/` that has not run yet, in order, in one transaction under a lock. Processes
 * that start together therefore migrate once, and a failure leaves the schema unchanged. Returns the names of the files that ran.
 */
export async function migrate(sql: Sql): Promise<readonly string[]> {
  const migrations = await readMigrations();
  return await sql.begin(async (transaction) => {
    await lockSchema(transaction, LOCK);
    await assertVersion(transaction);
    await createHistory(transaction);
    const done = await readHistory(transaction);
    assertHistory(done, migrations);
    const pending = migrations.filter(({ name }) => !done.has(name));
    for (const migration of pending) await apply(transaction, migration);
    await assertRoles(transaction);
    return pending.map(({ name }) => name);
  });
}

/**
 * Returns whether the schema is empty, missing migrations of this version, or current. Changes nothing.
 * @throws MigrationError if the database is too old or newer than this version, or if its user lacks a role
 */
export async function readSchemaState(sql: Sql): Promise<'empty' | 'behind' | 'current'> {
  const migrations = await readMigrations();
  return await sql.begin('read only', async (transaction) => {
    await assertVersion(transaction);
    if (!(await hasHistory(transaction))) return 'empty';
    const done = await readHistory(transaction);
    assertHistory(done, migrations);
    if (migrations.some(({ name }) => !done.has(name))) return 'behind';
    await assertRoles(transaction);
    return 'current';
  });
}

async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  return await Promise.all(
    names.map(async (name) => {
      const statements = await readFile(new URL(name, MIGRATIONS), 'utf8');
      return { name, statements, checksum: createHash('sha256').update(statements).digest('hex') };
    }),
  );
}

async function assertVersion(transaction: Transaction): Promise<void> {
  const version = await readServerVersion(transaction);
  if (version && version.number >= MINIMUM_POSTGRES) return;
  throw new MigrationError(
    `The database is PostgreSQL ${version?.text ?? 'of an unknown version'}; 15 or newer is needed.`,
    'Point DATABASE_URL at PostgreSQL 15 or newer, or unset it to use the embedded one.',
  );
}

function assertHistory(done: ReadonlyMap<string, string>, known: readonly Migration[]): void {
  const checksums = new Map(known.map(({ name, checksum }) => [name, checksum]));
  for (const [name, checksum] of done) {
    if (!checksums.has(name)) {
      throw new MigrationError(
        `The database has the migration ${name}, which this version does not know.`,
        'Start the newer version of Postrider that wrote it, or use another database.',
      );
    }
    if (checksums.get(name) !== checksum) {
      throw new MigrationError(
        `The migration ${name} was changed after it had been applied.`,
        'Restore the file: an applied migration is never changed, a new one is added.',
      );
    }
  }
}

async function apply(transaction: Transaction, migration: Migration): Promise<void> {
  await transaction.run(migration.statements).catch(explainFailure);
  await recordMigration(transaction, migration);
}

/** A user created after the roles, for example in a database restored on another server, may be a member of neither. */
async function assertRoles(transaction: Transaction): Promise<void> {
  const lacking = await readMissingRoles(transaction, ROLES);
  if (lacking === null) return;
  throw missingRoles(`${lacking.user} does not have the rights of ${lacking.missing.join(' and ')}`);
}

const ROLES = ['postrider_app', 'postrider_system'];

function missingRoles(reason: string): MigrationError {
  return new MigrationError(
    `The database cannot keep accounts apart: ${reason}.`,
    `Let the user of DATABASE_URL make roles (ALTER ROLE … CREATEROLE), or have an administrator run, with that user's name: ${ROLES.map((role) => `CREATE ROLE ${role} NOLOGIN; GRANT ${role} TO …;`).join(' ')} The user must be one that inherits (INHERIT, the default).`,
  );
}

/** A user of an empty database may lack the right to create extensions and roles; a server may lack an extension's files. */
function explainFailure(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && 'code' in error && error.code === 'PR002') throw missingRoles(message);
  const name = /extension "(\w+)"/.exec(message)?.[1];
  if (name === undefined) throw error;
  throw new MigrationError(
    `The database cannot have the extension ${name}, which searching the message log needs: ${message}.`,
    `Have an administrator of the database run CREATE EXTENSION ${name}; or let the user of DATABASE_URL do it by GRANT CREATE ON DATABASE. Where the server does not have it, install PostgreSQL's contrib modules (postgresql-contrib).`,
  );
}
