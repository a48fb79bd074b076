import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  databaseEnvironment,
  type Environment,
  runServer,
  type ServerProcess,
  startServerProcess,
} from '../harness/server-process.ts';
import { type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { callApi } from '../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const UNTIL = { timeout: 15_000, interval: 20 };

describe('the shutdown of a server', () => {
  let folder: string;
  let database: TestDatabase;
  let sink: SmtpSink;
  let environment: Environment;
  let server: ServerProcess | null = null;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-signals-'));
    database = await createTestDatabase();
    // An attempt that never ends makes the drain last as long as it may.
    sink = await startSmtpSink({ replies: { message: () => 'stall' } });
    environment = {
      ...databaseEnvironment(database),
      POSTRIDER_DATA_DIR: folder,
      POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
      POSTRIDER_PORT: '0',
      POSTRIDER_MODE: 'production',
      POSTRIDER_ROLES: 'api,worker',
      POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none`,
    };
  });
  afterEach(async () => {
    server?.child.kill('SIGKILL');
    await server?.finished;
    server = null;
  });
  afterAll(async () => {
    await sink.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** A server in the middle of a delivery attempt, which a stop waits for. */
  async function startBusy(): Promise<ServerProcess> {
    server = startServerProcess(['start'], environment);
    const baseUrl = await server.ready;
    const create = ['accounts', 'create', '--name', 'A', '--owner', 'a@example.com', '--json'];
    const { key } = JSON.parse((await runServer(create, environment)).stdout);
    const body = { from: 'ada@sandbox.test', to: 'ann@example.com', subject: 'Hello', text: 'Hi' };
    const { body: sent } = await callApi(baseUrl, key, 'POST', '/emails', { body });
    const status = async () => (await callApi(baseUrl, key, 'GET', `/emails/${sent.id}`, {})).body.status;
    await expect.poll(status, UNTIL).toBe('sending');
    return server;
  }

  it('is clean after one signal, though a terminal and npx send it more than once', {
    tags: ['contract-running.drain'],
    timeout: 60_000,
  }, async () => {
    const { child, finished } = await startBusy();
    const beganMs = performance.now();
    child.kill('SIGINT');
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      child.kill(signal);
    }
    expect(await finished).toMatchObject({ code: 0, signal: null });
    expect(performance.now() - beganMs).toBeLessThan(15_000);
    expect(await database.sql`SELECT 1 FROM deliveries WHERE lease_id IS NOT NULL`).toHaveLength(0);
  });

  it('is immediate after a signal that is repeated later', async () => {
    const { child, finished } = await startBusy();
    const beganMs = performance.now();
    child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    child.kill('SIGTERM');
    expect(await finished).toMatchObject({ code: 1, signal: null });
    // Sooner than the delivery attempt would have been given up.
    expect(performance.now() - beganMs).toBeLessThan(5_500);
  }, 60_000);

  it('is automatic when its start fails in the middle, leaving no connection behind', async () => {
    await mkdir(join(folder, 'journal'), { recursive: true });
    await writeFile(join(folder, 'journal', '999999.11111111-1111-4111-8111-111111111111.00.journal'), '');
    await database.sql`ALTER TABLE deliveries RENAME TO hidden_deliveries`;
    const { code, stdout, stderr } = await runServer(['start'], environment);
    expect([code, stderr]).toEqual([1, expect.stringContaining('"deliveries" does not exist')]);
    expect(stdout).not.toMatch(/^ready/m);
    const connections = () =>
      database.sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'tests'`;
    await expect.poll(connections, UNTIL).toHaveLength(0);
    await database.sql`ALTER TABLE hidden_deliveries RENAME TO deliveries`;
  }, 60_000);

  it('is clean when a signal ended only npx or pnpm, which did not pass it on', async () => {
    const starter = join(folder, 'npx');
    await writeFile(
      starter,
      `require('node:child_process').spawn('sh', ['-c', process.argv.slice(2).join(' ') + '; true'], { stdio: 'inherit' });`,
    );
    const manager = startServerProcess(['start'], environment, [starter, process.execPath]);
    const baseUrl = await manager.ready;
    expect((await fetch(`${baseUrl}/health`)).status).toBe(200);
    manager.child.kill('SIGKILL');
    // The server writes to the same pipes: they close when it has ended.
    expect(await manager.finished).toMatchObject({ signal: 'SIGKILL' });
    await expect(fetch(`${baseUrl}/health`)).rejects.toThrow();
    expect(
      await database.sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'tests'`,
    ).toHaveLength(0);
  }, 60_000);
});
