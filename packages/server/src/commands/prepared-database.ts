import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { type DatabaseTarget, openDatabase, type Sql, toDatabaseTarget } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { parseDatabaseUrl } from '../db/database-url.ts';
import { migrate, readSchemaState } from '../db/migrate.ts';
import { ping } from '../db/queries/maintenance.ts';
import { ensurePartitions } from '../db/queries/partitions.ts';
import { examineAccountWall, joinFaults } from '../doctor/check-account-wall.ts';
import { migrateQueue } from '../jobs/worker.ts';
import { createInstallationBox } from '../keys/secret-box.ts';
import { attachEmbeddedPostgres, type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/embedded-postgres.ts';
import { ensureSandboxDomain } from '../sending-domains/sandbox-domain.ts';
import { sealWaitingMail } from '../support/seal-waiting-mail.ts';
import { createIdGenerator } from '../uuid-v7.ts';
import { StartError } from './start-error.ts';
import { assertWritable } from './writable-folder.ts';

export interface DatabaseHooks {
  readonly onProgress: (text: string) => void;
  readonly onDown?: (reason: string) => void;
  readonly onUp?: () => void;
  /** Reports a problem that does not prevent anything. */
  readonly onWarning?: (text: string) => void;
}

/** A database that is running. */
export interface OpenDatabase {
  readonly target: DatabaseTarget;
  readonly sql: Sql;
  close(): Promise<void>;
}

/** Opens the configured database, or starts the embedded one, and brings schema, queue, partitions and sandbox domain up to date. */
export async function openPreparedDatabase(config: Config, hooks: DatabaseHooks): Promise<OpenDatabase> {
  assertWritable(config.dataDir);
  const embedded = config.databaseUrl === null ? await startEmbedded(config, hooks) : null;
  return await open(config, embedded, (database) => prepare(config, database, hooks));
}

/** The same for a database that is running, and that another process stops. */
export async function prepareDatabase(
  config: Config,
  target: DatabaseTarget,
  hooks: DatabaseHooks,
): Promise<OpenDatabase> {
  return await openTarget(
    config,
    target,
    async () => {},
    (database) => prepare(config, database, hooks),
  );
}

async function prepare(config: Config, database: OpenDatabase, hooks: DatabaseHooks): Promise<void> {
  hooks.onProgress('bringing the schema up to date');
  await bringUpToDate(database);
  await assertAccountWall(database.target, hooks);
  const secrets = createInstallationBox(config);
  const tools = { sql: database.sql, clock: systemClock, ids: createIdGenerator(), secrets };
  await ensureSandboxDomain(tools, config.sandboxDomain);
  await sealWaitingMail(database.sql, secrets);
}

/**
 * Opens the database for an operator command, and starts the embedded one if no server runs it. The command may lack settings of the
 * server or have another version, so it needs and creates no secret key and does not migrate a database in use; it only creates a
 * missing schema.
 */
export async function openOperatorDatabase(config: Config, hooks: DatabaseHooks): Promise<OpenDatabase> {
  return await open(config, await findEmbedded(config, hooks), async (database) => {
    const state = await readSchemaState(database.sql);
    if (state === 'empty') await bringUpToDate(database);
    if (state !== 'behind') return;
    throw new StartError(
      'The database schema is older than this version of Postrider.',
      'Make a backup. Then run `postrider-server migrate`, or start the server, which also migrates.',
    );
  });
}

/**
 * Opens the database unchanged, for inspection: nothing is migrated. Null if the embedded database was never created,
 * because an inspection must not create it.
 */
export async function openDatabaseAsItIs(config: Config, hooks: DatabaseHooks): Promise<OpenDatabase | null> {
  const isMade = config.databaseUrl !== null || existsSync(join(config.dataDir, 'postgres', 'PG_VERSION'));
  return isMade ? await open(config, await findEmbedded(config, hooks), async () => {}) : null;
}

/** Brings schema, queue and partitions up to date, with or without a running server. */
export async function migrateDatabase(config: Config, hooks: DatabaseHooks): Promise<void> {
  const database = await open(config, await findEmbedded(config, hooks), bringUpToDate);
  await database.close();
}

async function bringUpToDate({ sql, target }: OpenDatabase): Promise<void> {
  await migrate(sql);
  await migrateQueue(target);
  await ensurePartitions(sql, systemClock.now());
}

/** @throws StartError if the database would not isolate accounts, or statements could run without a limit */
async function assertAccountWall(target: DatabaseTarget, { onWarning }: DatabaseHooks): Promise<void> {
  const { faults, warnings } = await examineAccountWall(target);
  for (const { message, fix } of warnings) onWarning?.(`${message} ${fix}`);
  if (faults.length === 0) return;
  const { message, fix } = joinFaults(faults);
  throw new StartError(message, fix);
}

/** Null if an external database is configured. */
async function findEmbedded(config: Config, hooks: DatabaseHooks): Promise<EmbeddedPostgres | null> {
  if (config.databaseUrl !== null) return null;
  const running = await attachEmbeddedPostgres({ dataDir: config.dataDir });
  if (running !== null) return running;
  assertWritable(config.dataDir);
  return await startEmbedded(config, hooks);
}

async function startEmbedded(config: Config, hooks: DatabaseHooks): Promise<EmbeddedPostgres> {
  const { onProgress, onDown, onUp } = hooks;
  return await startEmbeddedPostgres({
    dataDir: config.dataDir,
    onProgress,
    ...(onDown ? { onDown } : {}),
    ...(onUp ? { onUp } : {}),
  });
}

async function open(
  config: Config,
  embedded: EmbeddedPostgres | null,
  work: (database: OpenDatabase) => Promise<void>,
): Promise<OpenDatabase> {
  const target: DatabaseTarget =
    embedded === null ? toDatabaseTarget(config.databaseUrl ?? '') : { kind: 'socket', ...embedded.connection };
  return await openTarget(config, target, async () => await embedded?.stop(), work);
}

async function openTarget(
  config: Config,
  target: DatabaseTarget,
  stopServer: () => Promise<void>,
  work: (database: OpenDatabase) => Promise<void>,
): Promise<OpenDatabase> {
  const sql = openDatabase({ target, maxConnections: 2, applicationName: 'postrider-admin' });
  const close = async () => {
    await sql.end({ timeout: 2 });
    await stopServer();
  };
  try {
    await ping(sql);
    const database = { target, sql, close };
    await work(database);
    return database;
  } catch (error) {
    await close().catch(() => {});
    throw explainDatabaseError(error, config);
  }
}

function explainDatabaseError(error: unknown, config: Config): unknown {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (config.databaseUrl !== null && (classifyDatabaseError(error) === 'unavailable' || /^(28|3D)/.test(code))) {
    return new StartError(
      `The database in DATABASE_URL (${withoutPassword(config.databaseUrl)}) cannot be used: ${message}.`,
      'Check that it runs and that host, port, user, password and database are correct, or unset DATABASE_URL to use the embedded PostgreSQL.',
    );
  }
  return error;
}

function withoutPassword(url: string): string {
  const parsed = parseDatabaseUrl(url);
  return parsed.ok ? parsed.url.shown : 'not a URL';
}
