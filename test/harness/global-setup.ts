import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/db/embedded-postgres.ts';
import { prepareTemplate, TEMPLATE_DATABASE } from './template-database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: { readonly host: string; readonly user: string };
  }
}

/** One Postgres for the whole run, its data in memory where the machine has such a place, with one migrated template database. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'postrider-test-'));
  // Tests kill processes, never the machine: what fsync guards against cannot happen here.
  const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  const { host, user } = postgres.connection;
  const admin = openDatabase({
    target: { kind: 'socket', ...postgres.connection },
    maxConnections: 1,
    applicationName: 'tests',
  });
  await admin.unsafe(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await prepareTemplate({ kind: 'socket', host, user, database: TEMPLATE_DATABASE });
  await admin.end();
  project.provide('postgres', { host, user });
  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
