import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Child, startChild } from '../../bench/parts/child.ts';
import { databaseEnvironment, runServer, type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const HTTP_LOAD = new URL('../../bench/parts/http-load.ts', import.meta.url);

/** Bytes by V8's own count, in one collection. */
interface Collection {
  readonly allocated: number;
  readonly promoted: number;
}

describe('the garbage of a server under load', () => {
  let folder: string;
  let database: TestDatabase;
  let server: ServerProcess;
  let load: Child<unknown>;
  let baseUrl: string;
  let key: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-garbage-'));
    database = await createTestDatabase();
    const environment = {
      ...databaseEnvironment(database),
      POSTRIDER_DATA_DIR: folder,
      POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
      POSTRIDER_PORT: '0',
      POSTRIDER_MODE: 'production',
      POSTRIDER_PROCESSES: '1',
      POSTRIDER_ROLES: 'api',
      POSTRIDER_TRANSPORT: 'capture',
      POSTRIDER_MONTHLY_QUOTA: '2000000000',
    };
    server = startServerProcess(['start'], environment, ['--trace-gc-nvp']);
    baseUrl = await server.ready;
    const create = ['accounts', 'create', '--name', 'A', '--owner', 'a@sandbox.test', '--json'];
    key = JSON.parse((await runServer(create, environment)).stdout).key;
    load = await startChild(HTTP_LOAD, {});
  }, 60_000);
  afterAll(async () => {
    await load.stop();
    server.child.kill('SIGKILL');
    await server.finished;
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const minorCollections = (): Collection[] =>
    [...server.stdout.matchAll(/ GC: (\{.*"gc":"s".*\})\n/g)].map(([, values = '']) => JSON.parse(values));

  it('stays in the young generation', { timeout: 120_000 }, async () => {
    const send = (count: number, seed: number) =>
      load.ask({ port: Number(new URL(baseUrl).port), path: '/emails', key, connections: 32, count, seed });
    await send(3_000, 1);
    const before = minorCollections().length;
    await send(6_000, 2);
    const collections = minorCollections().slice(before);
    const total = (name: keyof Collection) => collections.reduce((sum, collection) => sum + collection[name], 0);
    expect(collections.length).toBeGreaterThan(3);
    // With one old function for each request it was 0.08 and more.
    expect(total('promoted') / total('allocated')).toBeLessThan(1 / 25);
  });
});
