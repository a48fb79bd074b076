import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Query } from '../../packages/server/src/db/client.ts';
import { migrate } from '../../packages/server/src/db/migrate.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/postgres/embedded-postgres.ts';

/** Calls `work` with a new, fully migrated database on its own embedded PostgreSQL. Takes about two seconds. */
export async function withMigratedDatabase<T>(work: (query: Query) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-generate-'));
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
  const { host, user, database } = postgres.connection;
  const target = { kind: 'socket', host, user, database } as const;
  const sql = openDatabase({ target, maxConnections: 1, applicationName: 'generate' });
  try {
    await migrate(sql);
    const results = await Promise.all([sql.begin((transaction) => work(transaction))]);
    return results[0] as T; // The driver's type unwraps arrays of promises; `work` returns none.
  } finally {
    await sql.end({ timeout: 1 });
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
