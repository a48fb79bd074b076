import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openEventStream } from '../harness/event-stream.ts';
import { isRunning, processesOf, workersOf } from '../harness/processes-of.ts';
import { databaseEnvironment, type Environment, runServer, startServerProcess } from '../harness/server-process.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { type CallOptions, callApi } from '../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const UNTIL = { timeout: 20_000, interval: 50 };
const SEND = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi' };

let folder: string;
let database: TestDatabase;
let environment: Environment;
let running: ReturnType<typeof startServerProcess> | null = null;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-processes-'));
  database = await createTestDatabase();
  environment = {
    ...databaseEnvironment(database),
    POSTRIDER_DATA_DIR: folder,
    POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
    POSTRIDER_PORT: '0',
  };
});
afterEach(async () => {
  running?.child.kill('SIGTERM');
  await running?.finished;
  running = null;
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function start(processes: number, changes: Environment = {}) {
  const server = startServerProcess(['start', '--processes', String(processes)], { ...environment, ...changes });
  running = server;
  const baseUrl = await server.ready;
  const { key } = JSON.parse(await readFile(join(folder, 'quickstart.json'), 'utf8'));
  await database.sql`UPDATE api_keys SET rate_limit = 100000`;
  // Each call is sent over its own connection, and so to another process.
  const call = (method: string, path: string, options: CallOptions = {}) =>
    callApi(baseUrl, key, method, path, { ...options, headers: { connection: 'close', ...options.headers } });
  const pid = server.child.pid ?? 0;
  return { ...server, pid, baseUrl, key, call, workers: () => workersOf(pid), log: () => server.stderr };
}
type Started = Awaited<ReturnType<typeof start>>;

async function metricsOf({ stdout }: Started): Promise<string> {
  const [, url = ''] = /metrics on (\S+)/.exec(stdout) ?? [];
  return await (await fetch(url)).text();
}

/** Sends until `stop` is called, which returns the ids that were accepted; a call whose connection breaks has no id. */
function sendConstantly({ call }: Started, clients: number): { stop(): Promise<readonly string[]>; count(): number } {
  const accepted: string[] = [];
  let isOver = false;
  const loop = async () => {
    while (!isOver) {
      const sent = await call('POST', '/emails', { body: SEND }).catch(() => null);
      if (sent?.status === 202) accepted.push(sent.body.id);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const loops = Array.from({ length: clients }, loop);
  return {
    count: () => accepted.length,
    async stop() {
      isOver = true;
      await Promise.all(loops);
      return accepted;
    },
  };
}

describe.runIf(process.platform === 'linux')('a server of four processes', () => {
  it('acts as one server, no matter which process receives a request', async () => {
    const server = await start(4, { POSTRIDER_METRICS_PORT: '0' });
    const { call } = server;
    expect(server.workers()).toHaveLength(4);
    expect(server.stdout.match(/^ready/gm)).toHaveLength(1);
    expect(server.stdout.match(/bringing the schema/g)).toHaveLength(1);
    expect(server.stdout.match(/first message: .* is delivered/g)).toHaveLength(1);

    const stream = await openEventStream(server);
    expect((await stream.next()).event).toBe('ready');
    const sent = await Promise.all(Array.from({ length: 12 }, () => call('POST', '/emails', { body: SEND })));
    const reads = sent.map(({ body }) => call('GET', `/emails/${body.id}?wait=20`));
    expect((await Promise.all(reads)).map(({ body }) => body.status)).toEqual(sent.map(() => 'delivered'));
    const streamed = new Set<string>();
    while (streamed.size < sent.length) {
      const { event, data } = await stream.next();
      if (event === 'email.delivered') streamed.add(JSON.parse(data.payload).data.emailId);
    }
    expect([...streamed].sort()).toEqual(sent.map(({ body }) => body.id).sort());
    stream.close();

    const metrics = await metricsOf(server);
    for (const process of [1, 2, 3, 4])
      expect(metrics).toMatch(new RegExp(`process_resident_memory_bytes\\{process="${process}"\\} \\d`));
    expect(metrics).toContain('\npostrider_processes 4\n');
    expect(metrics).toContain('\npostrider_database_up 1\n');
    expect(metrics.match(/^# TYPE postrider_webhook_attempts_total/gm)).toHaveLength(1);
  });

  it('counts the requests of clients without a key for all processes together', async () => {
    const { call } = await start(4);
    const tag = () => call('POST', '/tools/utm', { key: null, body: { url: 'https://example.com/', source: 'a' } });
    const statuses = (await Promise.all(Array.from({ length: 30 }, tag))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  it('signs a user in, even if different processes send the link, open it and check the session', async () => {
    const { call, baseUrl } = await start(4);
    const asked = await call('POST', '/auth/magic-link', { key: null, body: { email: 'owner@sandbox.test' } });
    expect(asked.status).toBe(202);
    const cookieOf = (headers: Headers) =>
      headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ');
    const mail = async () => {
      const { messages } = (await call('GET', '/dev/mailbox')).body;
      const texts = await Promise.all(
        messages.map(async ({ id }: { readonly id: string }) =>
          String((await call('GET', `/dev/mailbox/${id}.eml`)).body).replaceAll('=\r\n', ''),
        ),
      );
      return /\/auth\/magic-link\/[\w-]{43}/.exec(texts.join('\n'))?.[0] ?? null;
    };
    await expect.poll(mail, UNTIL).not.toBeNull();
    const headers = { origin: baseUrl, cookie: cookieOf(asked.headers) };
    const opened = await call('POST', (await mail()) ?? '', { key: null, headers });
    expect(opened.status).toBe(303);
    const session = { origin: baseUrl, cookie: cookieOf(opened.headers) };
    const seen = await Promise.all(
      Array.from({ length: 8 }, () => call('GET', '/auth/session', { key: null, headers: session })),
    );
    expect(seen.map(({ status }) => status)).toEqual(seen.map(() => 200));
  });

  it('restarts a killed process while the others accept mail, and loses no message', async () => {
    const server = await start(4, { POSTRIDER_METRICS_PORT: '0' });
    const before = server.workers();
    const sending = sendConstantly(server, 4);
    await expect.poll(sending.count, UNTIL).toBeGreaterThan(40);
    process.kill(before[1] ?? 0, 'SIGKILL');
    const count = sending.count();
    await expect.poll(sending.count, UNTIL).toBeGreaterThan(count + 40);
    await expect.poll(async () => await metricsOf(server), UNTIL).toContain('\npostrider_processes 4\n');
    expect(await metricsOf(server)).toContain('\npostrider_process_restarts_total 1\n');
    expect(server.workers().filter((pid) => before.includes(pid))).toHaveLength(3);
    const accepted = await sending.stop();
    // The leases of the killed process would end a minute later.
    await database.sql`UPDATE deliveries SET next_at = now() WHERE lease_id IS NOT NULL`;
    const delivered = async () => {
      const found = await database.sql<{ readonly id: string }[]>`SELECT id FROM messages WHERE status = 'delivered'`;
      const ids = new Set(found.map(({ id }) => id));
      return accepted.filter((id) => !ids.has(id));
    };
    await expect.poll(delivered, UNTIL).toEqual([]);
    expect(server.log()).toContain('a process ended and is restarted');
  });

  it('stops cleanly under load, without losing accepted messages', { tags: ['contract-running.drain'] }, async () => {
    const server = await start(4);
    const sending = sendConstantly(server, 4);
    await expect.poll(sending.count, UNTIL).toBeGreaterThan(40);
    const workers = server.workers();
    server.child.kill('SIGTERM');
    expect(await server.finished).toMatchObject({ code: 0, signal: null });
    const accepted = await sending.stop();
    expect(workers.filter(isRunning)).toEqual([]);
    const stored = await database.sql<{ readonly id: string }[]>`SELECT id FROM messages WHERE id = ANY(${accepted})`;
    expect(stored).toHaveLength(accepted.length);
    expect(await database.sql`SELECT 1 FROM deliveries WHERE lease_id IS NOT NULL`).toHaveLength(0);
  });
});

describe.runIf(process.platform === 'linux')('a server of several processes', () => {
  it('leaves no process running when its supervisor is killed, and stops PostgreSQL last', async () => {
    const own = await mkdtemp(join(tmpdir(), 'postrider-supervised-'));
    const { DATABASE_URL: _, ...embedded } = environment;
    const server = startServerProcess(['start', '--processes', '2'], { ...embedded, POSTRIDER_DATA_DIR: own });
    await server.ready;
    const workers = workersOf(server.child.pid ?? 0);
    const others = processesOf(server.child.pid ?? 0);
    expect([workers.length, others.length > workers.length]).toEqual([2, true]);
    server.child.kill('SIGKILL');
    // The processes write to the same pipes, which close when they have ended.
    await server.finished;
    await expect.poll(() => others.filter(isRunning), UNTIL).toEqual([]);
    expect(server.stderr).not.toContain('"level":50');
    expect(await readFile(join(own, 'postgres.log'), 'utf8')).toContain('database system is shut down');
    await rm(own, { recursive: true, force: true });
  });

  it('names every port in use once, as a single process does', async () => {
    const others = [createServer(), createServer()];
    const ports: number[] = [];
    for (const other of others) {
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const address = other.address();
      ports.push(typeof address === 'object' && address !== null ? address.port : 0);
    }
    const [port, smtpPort] = ports.map(String);
    const changes = { ...environment, POSTRIDER_PORT: port ?? '', POSTRIDER_SMTP_PORT: smtpPort ?? '' };
    const [alone, shared] = [
      await runServer(['start', '--processes', '1'], changes),
      await runServer(['start', '--processes', '3'], changes),
    ];
    expect(alone.stderr).toContain(`Port ${port} on 127.0.0.1 is in use by another program. Port ${smtpPort} for SMTP`);
    expect([shared.code, shared.stderr]).toEqual([1, alone.stderr]);
    for (const other of others) await new Promise((resolve) => other.close(resolve));
  });

  it('ends with the error of its processes when none of them can start anymore', async () => {
    const server = await start(2);
    await mkdir(join(folder, 'journal'), { recursive: true });
    await writeFile(join(folder, 'journal', '999999.11111111-1111-4111-8111-111111111111.00.journal'), '');
    await database.sql`ALTER TABLE deliveries RENAME TO hidden_deliveries`;
    for (const pid of server.workers()) process.kill(pid, 'SIGKILL');
    const { code, stderr } = await server.finished;
    await database.sql`ALTER TABLE hidden_deliveries RENAME TO deliveries`;
    expect(code).toBe(1);
    expect(stderr.match(/error: .*"deliveries" does not exist/g)).toHaveLength(1);
  });

  it('starts fewer processes with a warning if the database has too few connections', async () => {
    const [row] = await database.sql<{ readonly name: string }[]>`SELECT current_database() AS name`;
    await database.sql.unsafe(`ALTER DATABASE "${row?.name}" CONNECTION LIMIT 80`);
    const server = await start(4);
    await database.sql.unsafe(`ALTER DATABASE "${row?.name}" CONNECTION LIMIT -1`);
    expect(server.workers()).toHaveLength(2);
    expect(server.stderr).toMatch(/warning: The database allows 80 connections, .* starts 2 instead/);
    expect((await server.call('POST', '/emails', { body: SEND })).status).toBe(202);
  });
});
