import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/postgres/embedded-postgres.ts';
import { type TaggedPool, type TaggedSql, tagged } from '../../test/harness/tagged.ts';
import { prepareTemplate } from '../../test/harness/template-database.ts';

/** Where the data set is stored. It takes minutes to create, so later runs reuse it. */
export interface DataSetPlace {
  /** A `postgres://` URL; null for the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** The data directory of the embedded PostgreSQL. */
  readonly dataDir: string;
}

export const DEFAULT_DATA_DIR = join(tmpdir(), 'postrider-bench-reads');

export interface KeptDatabase {
  readonly target: DatabaseTarget;
  readonly sql: TaggedPool;
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Opens the data set's database and migrates it. */
export async function openKeptDatabase({ databaseUrl, dataDir }: DataSetPlace): Promise<KeptDatabase> {
  const embedded = databaseUrl === null ? await startEmbeddedPostgres({ dataDir }) : null;
  const target: DatabaseTarget =
    embedded === null ? { kind: 'url', url: databaseUrl ?? '' } : { kind: 'socket', ...embedded.connection };
  await prepareTemplate(target);
  const sql = tagged(openDatabase({ target, maxConnections: 2, applicationName: 'bench', statementTimeoutMs: 0 }));
  return {
    target,
    sql,
    settings: await readSettings(sql),
    async close() {
      await sql.end({ timeout: 1 });
      await embedded?.stop();
    },
  };
}

async function readSettings(sql: TaggedSql): Promise<Record<string, string>> {
  const names = ['server_version', 'shared_buffers', 'effective_cache_size', 'random_page_cost'];
  const rows = await sql<{ name: string; value: string }[]>`
    SELECT name, current_setting(name) AS value FROM unnest(${names}::text[]) AS name`;
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
