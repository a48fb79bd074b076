import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { type GeneratedDkimKey, generateDkimKey } from '../../packages/server/src/sending-domains/dkim-key.ts';
import { startTestPostgres } from './postgres-versions.ts';
import { tagged } from './tagged.ts';
import { prepareTemplate, TEMPLATE_DATABASE } from './template-database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: { readonly host: string; readonly user: string };
    /** Generated once per run: each key takes some hundred milliseconds of processor time. */
    dkimKeys: readonly GeneratedDkimKey[];
  }
}

/** More than any test domain has keys. */
const DKIM_KEYS = 8;

/** One Postgres for the whole run, with its data in memory if possible, and one migrated template database. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'postrider-test-'));
  // Tests kill processes, never the machine, so fsync would protect against nothing.
  const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };
  const [postgres, dkimKeys] = await Promise.all([
    startTestPostgres(dataDir, settings),
    Promise.all(Array.from({ length: DKIM_KEYS }, () => generateDkimKey())),
  ]);
  const { host, user } = postgres;
  const admin = tagged(
    openDatabase({
      target: { kind: 'socket', host, user, database: 'postgres' },
      maxConnections: 1,
      applicationName: 'tests',
    }),
  );
  await admin.unsafe(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await prepareTemplate({ kind: 'socket', host, user, database: TEMPLATE_DATABASE });
  await admin.end();
  project.provide('postgres', { host, user });
  project.provide('dkimKeys', dkimKeys);
  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
