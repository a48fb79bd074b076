import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/postgres/embedded-postgres.ts';
import { type TaggedPool, type TaggedSql, tagged } from '../../test/harness/tagged.ts';
import { prepareTemplate } from '../../test/harness/template-database.ts';

export interface BenchDatabase {
  readonly target: DatabaseTarget;
  readonly sql: TaggedPool;
  /** The server settings that determine what a commit means; they are printed. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const DURABILITY = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** A Postgres as the product starts it, on disk. Fails if commits are not durable, because the figures would be wrong. */
export async function openBenchDatabase(changes: Readonly<Record<string, string>> = {}): Promise<BenchDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir, settings: changes });
  const target: DatabaseTarget = { kind: 'socket', ...postgres.connection };
  await prepareTemplate(target);
  const sql = tagged(openDatabase({ target, maxConnections: 2, applicationName: 'bench' }));
  const settings = await readSettings(sql);
  const off = DURABILITY.filter((name) => settings[name] !== 'on');
  if (off.length > 0) throw new Error(`${off.join(', ')} must be on for this benchmark`);
  return {
    target,
    sql,
    settings,
    async close() {
      await sql.end({ timeout: 1 });
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function readSettings(sql: TaggedSql): Promise<Record<string, string>> {
  const names = [...DURABILITY, 'server_version', 'shared_buffers', 'wal_sync_method'];
  const rows = await sql<{ name: string; value: string }[]>`
    SELECT name, current_setting(name) AS value FROM unnest(${names}::text[]) AS name`;
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
