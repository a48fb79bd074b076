import { randomBytes } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { migrate } from '../../packages/server/src/db/migrate.ts';
import { tagged } from '../harness/tagged.ts';

describe('a database whose user may not create extensions', () => {
  it('is rejected with a fix, and left unchanged', async () => {
    const { host, user } = inject('postgres');
    const name = `limited_${randomBytes(8).toString('hex')}`;
    const open = (database: string, as: string) =>
      tagged(
        openDatabase({
          target: { kind: 'socket', host, user: as, database },
          maxConnections: 1,
          applicationName: 'tests',
        }),
      );
    const admin = open('postgres', user);
    await admin.unsafe(`CREATE ROLE ${name} LOGIN`);
    await admin.unsafe(`GRANT postrider_app, postrider_system TO ${name}`);
    await admin.unsafe(`CREATE DATABASE ${name}`);
    const inside = open(name, user);
    await inside.unsafe(`GRANT CREATE ON SCHEMA public TO ${name}`);
    const limited = open(name, name);
    try {
      await expect(migrate(limited)).rejects.toMatchObject({
        name: 'MigrationError',
        message: expect.stringContaining('pg_trgm'),
        fix: expect.stringContaining('CREATE EXTENSION pg_trgm'),
      });
      expect(await inside`SELECT FROM pg_tables WHERE schemaname = 'public'`).toHaveLength(0);
      // Once someone who may has made it, in whatever schema, the rest needs no more rights than before.
      await inside.unsafe('CREATE SCHEMA elsewhere');
      await inside.unsafe('CREATE EXTENSION pg_trgm SCHEMA elsewhere');
      await inside.unsafe(`GRANT USAGE ON SCHEMA elsewhere TO ${name}`);
      expect(await migrate(limited)).toContain('0008-search.sql');
    } finally {
      await Promise.all([limited.end(), inside.end()]);
      await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.unsafe(`DROP ROLE ${name}`);
      await admin.end();
    }
  });
});
