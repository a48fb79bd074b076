import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { type DatabaseTarget, openDatabase, type Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { attachEmbeddedPostgres, type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded-postgres.ts';
import { migrate } from '../db/migrate.ts';
import { ensurePartitions, ping } from '../db/queries/maintenance.ts';
import { migrateQueue } from '../jobs/worker.ts';
import { createSecretBox } from '../keys/secret-box.ts';
import { ensureSandboxDomain } from '../sending-domains/sandbox-domain.ts';
import { createIdGenerator } from '../uuid-v7.ts';
import { StartError } from './start-error.ts';

export interface DatabaseHooks {
  readonly onProgress: (text: string) => void;
  readonly onDown?: (reason: string) => void;
  readonly onUp?: () => void;
}

/** A database that is up, migrated and ready to send from. */
export interface PreparedDatabase {
  readonly target: DatabaseTarget;
  readonly sql: Sql;
  close(): Promise<void>;
}

/** Opens the configured database, or starts the embedded one, and brings schema, queue, partitions and sandbox domain up to date. */
export async function openPreparedDatabase(config: Config, hooks: DatabaseHooks): Promise<PreparedDatabase> {
  assertWritable(config.dataDir);
  const embedded = config.databaseUrl === null ? await startEmbedded(config, hooks) : null;
  return await prepare(config, embedded, hooks);
}

/** The same for operator commands: beside a running server its embedded database is used, without one it is started for the while. */
export async function openOperatorDatabase(config: Config, hooks: DatabaseHooks): Promise<PreparedDatabase> {
  if (config.databaseUrl !== null) return await prepare(config, null, hooks);
  const running = await attachEmbeddedPostgres({ dataDir: config.dataDir });
  return running === null ? await openPreparedDatabase(config, hooks) : await prepare(config, running, hooks);
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

async function prepare(
  config: Config,
  embedded: EmbeddedPostgres | null,
  hooks: DatabaseHooks,
): Promise<PreparedDatabase> {
  const target: DatabaseTarget =
    embedded === null ? { kind: 'url', url: config.databaseUrl ?? '' } : { kind: 'socket', ...embedded.connection };
  const sql = openDatabase({ target, maxConnections: 2, applicationName: 'postrider-admin' });
  const close = async () => {
    await sql.end({ timeout: 2 });
    await embedded?.stop();
  };
  try {
    await ping(sql);
    hooks.onProgress('bringing the schema up to date');
    await migrate(sql);
    await migrateQueue(target);
    await ensurePartitions(sql, systemClock.now());
    const secrets = createSecretBox(config.secretKey());
    await ensureSandboxDomain({ sql, clock: systemClock, ids: createIdGenerator(), secrets }, config.sandboxDomain);
    return { target, sql, close };
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
      'Check that it runs, that host, port, user, password and database are right, or unset DATABASE_URL to use the embedded PostgreSQL.',
    );
  }
  return error;
}

function withoutPassword(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return 'not a URL';
  parsed.password = '';
  return parsed.href;
}

function assertWritable(dataDir: string): void {
  const probe = join(dataDir, `.write-probe-${process.pid}`);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new StartError(
      `The data directory ${dataDir} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
      'Make it writable for this user, or choose another one with POSTRIDER_DATA_DIR.',
    );
  }
}
