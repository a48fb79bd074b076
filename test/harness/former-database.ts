import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inject } from 'vitest';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { type TaggedSql, tagged } from './tagged.ts';

const MIGRATIONS = path.join(import.meta.dirname, '../../packages/server/src/db/migrations');

export interface FormerDatabase {
  readonly sql: TaggedSql;
  readonly target: DatabaseTarget;
  drop(): Promise<void>;
}

/** A database as an earlier release left it: with the migrations up to this number, recorded as the migration runner does. */
export async function createFormerDatabase(lastMigration: string): Promise<FormerDatabase> {
  const { host, user } = inject('postgres');
  const open = (database: string): DatabaseTarget => ({ kind: 'socket', host, user, database });
  const name = `former_${randomBytes(8).toString('hex')}`;
  const admin = tagged(openDatabase({ target: open('postgres'), maxConnections: 1, applicationName: 'tests' }));
  await admin.unsafe(`CREATE DATABASE ${name}`);
  const target = open(name);
  const sql = tagged(openDatabase({ target, maxConnections: 2, applicationName: 'tests' }));
  await sql`CREATE TABLE schema_migrations (
    name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`;
  for (const file of (await readdir(MIGRATIONS)).filter((each) => each.slice(0, 4) <= lastMigration).sort()) {
    const statements = await readFile(path.join(MIGRATIONS, file), 'utf8');
    const checksum = createHash('sha256').update(statements).digest('hex');
    await sql.unsafe(statements);
    await sql`INSERT INTO schema_migrations (name, checksum) VALUES (${file}, ${checksum})`;
  }
  return {
    sql,
    target,
    async drop() {
      await sql.end({ timeout: 1 });
      await admin.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
