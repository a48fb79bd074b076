import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runServer } from '../../packages/server/src/commands/run-server.ts';
import type { FailingEndpointRow } from '../../packages/server/src/db/queries/webhook-queue.ts';
import { checkClock } from '../../packages/server/src/doctor/check-database.ts';
import { judgeSpace } from '../../packages/server/src/doctor/check-storage.ts';
import { judgeWebhooks } from '../../packages/server/src/doctor/check-webhooks.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { makeCertificate } from '../harness/self-made-certificate.ts';
import { databaseEnvironment, type Environment } from '../harness/server-process.ts';
import { startSmtpSink } from '../harness/smtp-sink.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp } from '../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly fix: string | null;
}

const afterwards = useCleanUps();
const HELO = 'mail.doctor.example';
const NAMES = [
  ...['settings', 'data-directory', 'database', 'schema', 'account-wall', 'clock', 'queue', 'webhooks'],
  ...['processes', 'secret-key'],
  ...['transport', 'mail-server', 'dns', 'helo-name', 'certificate'],
];

let folder: string;
let dns: TestDnsServer;
let database: TestDatabase;
/** Everything is right in it. */
let healthy: Environment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-doctor-'));
  dns = await startDnsServer();
  database = await createTestDatabase();
  const { PGHOST, PGUSER } = databaseEnvironment(database);
  Object.assign(process.env, { PGHOST, PGUSER }); // What the drivers read where a URL names no host.
  healthy = {
    ...databaseEnvironment(database),
    ...(await certificateFor([HELO])),
    POSTRIDER_MODE: 'production',
    POSTRIDER_DATA_DIR: join(folder, 'data'),
    POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
    POSTRIDER_TRANSPORT: 'direct',
    POSTRIDER_HELO_NAME: HELO,
    POSTRIDER_DNS_SERVERS: dns.address,
  };
});
afterAll(async () => {
  await database.drop();
  await dns.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  dns.set('example.com', 'NS', 'ns.example.com');
  dns.set(HELO, 'A', '192.0.2.25');
  dns.set('192.0.2.25', 'PTR', HELO);
  await beat(database, 0);
});

/** A worker whose last heartbeat was so many seconds ago. */
async function beat({ sql }: TestDatabase, secondsAgo: number): Promise<void> {
  await sql`DELETE FROM worker_heartbeats`;
  await sql`INSERT INTO worker_heartbeats (worker_id, seen_at) VALUES ('w1', now() - make_interval(secs => ${secondsAgo}))`;
}

async function certificateFor(names: readonly string[], days?: number): Promise<Environment> {
  const { cert, key } = makeCertificate(names, days);
  const base = join(folder, `${names.join('-')}${days ?? ''}`);
  await writeFile(`${base}.crt`, cert);
  await writeFile(`${base}.key`, key);
  return { POSTRIDER_TLS_CERT: `${base}.crt`, POSTRIDER_TLS_KEY: `${base}.key` };
}

async function runDoctor(environment: Environment, ...flags: string[]) {
  let stdout = '';
  let stderr = '';
  const code = await runServer(['doctor', ...flags], {
    environment,
    write: (text) => {
      stdout += text;
    },
    writeError: (text) => {
      stderr += text;
    },
    progress: () => undefined,
  });
  return { code, stdout, stderr };
}

async function examine(changes: Environment = {}, ...flags: string[]) {
  const { code, stdout, stderr } = await runDoctor({ ...healthy, ...changes }, '--json', ...flags);
  expect(stderr).toBe('');
  const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout);
  expect(checks.map(({ name }) => name)).toEqual(NAMES);
  const failed = checks.filter(({ status }) => status === 'fail');
  expect([ok, code]).toEqual(failed.length === 0 ? [true, 0] : [false, 1]);
  // Whatever is not in order says how to mend it.
  for (const { status, fix, name } of checks)
    if (status === 'warn' || status === 'fail') expect(fix, name).toMatch(/\w+/);
  return checks;
}

/** The one check, where all others are as in the healthy environment. */
async function checkOf(name: string, changes: Environment = {}, ...flags: string[]): Promise<Check> {
  const checks = await examine(changes, ...flags);
  const check = checks.find((one) => one.name === name);
  if (check === undefined) throw new Error(`There is no check ${name}.`);
  return check;
}

const failing = (words: RegExp) => ({ status: 'fail', message: expect.stringMatching(words) });
const warning = (words: RegExp) => ({ status: 'warn', message: expect.stringMatching(words) });

describe('postrider-server doctor', () => {
  it('finds nothing wrong when everything works, and contacts no mail server of others', async () => {
    const checks = await examine();
    expect(checks.filter(({ status }) => status !== 'pass')).toEqual([
      {
        name: 'mail-server',
        status: 'skip',
        message: 'The connection to port 25 of remote mail servers was not tested.',
        fix: expect.stringContaining('--try-mail-server'),
      },
    ]);
  });

  it('writes plain text without --json, and says how to fix what fails', async () => {
    const { code, stdout } = await runDoctor({ ...healthy, POSTRIDER_HELO_NAME: 'gone.doctor.example' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^pass {2}settings {8}The settings are valid \(production\)\.$/m);
    expect(stdout).toMatch(/^fail {2}helo-name .*no address.*\n +fix: .*POSTRIDER_HELO_NAME/m);
    expect(stdout).toMatch(/^1 failed, 1 warned, 12 passed, 1 skipped\.$/m);
  });

  it('works beside a running server', async () => {
    const server = await startTestApp();
    afterwards(() => server.close());
    const { sql } = server.database;
    // A worker writes its first heartbeat soon after its start, asynchronously.
    await vi.waitFor(async () => expect(await sql`SELECT 1 FROM worker_heartbeats`).not.toHaveLength(0));
    const checks = await examine(databaseEnvironment(server.database));
    expect(checks.find(({ name }) => name === 'queue')).toMatchObject({
      status: 'pass',
      message: expect.stringMatching(/^\d+ workers at work/),
    });
  });

  it('creates nothing when nothing exists yet', async () => {
    const dataDir = join(folder, 'untouched');
    const { code, stdout } = await runDoctor(
      { POSTRIDER_DATA_DIR: dataDir, POSTRIDER_DNS_SERVERS: dns.address },
      '--json',
    );
    const statuses = JSON.parse(stdout).checks.map(({ name, status }: Check) => [name, status]);
    expect(code).toBe(0);
    expect(Object.fromEntries(statuses)).toMatchObject({
      ...{ settings: 'pass', 'data-directory': 'pass', database: 'skip', schema: 'skip', clock: 'skip' },
      ...{ queue: 'skip', 'secret-key': 'skip', transport: 'pass', 'helo-name': 'skip', certificate: 'pass' },
    });
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('its check of', () => {
  it('the settings names each wrong one, and those without effect', async () => {
    const checks = await examine({ POSTRIDER_PORT: 'abc', POSTRIDER_TRANSPORT: 'pigeon' });
    expect(checks[0]).toMatchObject(failing(/POSTRIDER_PORT: .*POSTRIDER_TRANSPORT: /));
    expect(checks.slice(1).every(({ status }) => status === 'skip')).toBe(true);
    expect(await checkOf('settings', { POSTRIDER_TRANSPROT: 'direct' })).toMatchObject(
      warning(/POSTRIDER_TRANSPROT is not a setting/),
    );
  });

  it('the data directory requires it to be writable and to have space', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await checkOf('data-directory', { POSTRIDER_DATA_DIR: join(folder, 'file') })).toMatchObject(
      failing(/file cannot be used/),
    );
    const mib = 1024 ** 2;
    expect(judgeSpace('/data', 100 * mib)).toMatchObject(failing(/^100 MiB are free in \/data/));
    expect(judgeSpace('/data', 1_000 * mib)).toMatchObject(warning(/^1000 MiB/));
    expect(judgeSpace('/data', 5_000 * mib)).toMatchObject({ status: 'pass' });
  });

  it('the database says why it cannot be used, without the password, and the other checks still run', async () => {
    const url = 'postgres://ada:hunter2@127.0.0.1:1/postrider';
    const checks = await examine({ DATABASE_URL: url });
    expect(checks[2]).toMatchObject(failing(/127\.0\.0\.1:1.*cannot be used/));
    expect(JSON.stringify(checks)).not.toContain('hunter2');
    const passed = checks.filter(({ status }) => status === 'pass').map(({ name }) => name);
    expect(passed).toEqual(['settings', 'data-directory', 'transport', 'dns', 'helo-name', 'certificate']);
  });

  it('the schema reports one that is behind, newer, or missing', async () => {
    const other = await createTestDatabase();
    afterwards(() => other.drop());
    const at = databaseEnvironment(other);
    await other.sql`DELETE FROM schema_migrations WHERE name LIKE '0009%'`;
    expect(await checkOf('schema', at)).toMatchObject({
      ...failing(/older than/),
      fix: expect.stringContaining('postrider-server migrate'),
    });
    expect(await checkOf('queue', at)).toMatchObject({ status: 'skip' });
    await other.sql`INSERT INTO schema_migrations (name, checksum) VALUES ('9999-future.sql', 'x')`;
    expect(await checkOf('schema', at)).toMatchObject(failing(/9999-future\.sql/));
    await other.sql`DROP TABLE schema_migrations`;
    expect(await checkOf('schema', at)).toMatchObject(failing(/empty/));
  });

  it('the clock compares it with the database’s', async () => {
    for (const [ms, expected] of [
      [0, { status: 'pass' }],
      [5_000, warning(/5\.\d s ahead/)],
      [-120_000, failing(/1(19|20)\.\d s behind/)],
    ] as const) {
      const clock = createFakeClock();
      clock.advance(ms);
      expect(await checkClock(database.sql, clock)).toMatchObject({ name: 'clock', ...expected });
    }
  });

  describe('the queue', () => {
    let queue: TestDatabase;
    let at: Environment;
    beforeAll(async () => {
      queue = await createTestDatabase();
      at = databaseEnvironment(queue);
    });
    afterAll(() => queue.drop());
    beforeEach(async () => {
      await queue.sql`DELETE FROM graphile_worker._private_jobs`;
      await queue.sql`DELETE FROM deliveries`;
      await beat(queue, 0);
    });

    const addJob = (minutesAgo: number) =>
      queue.sql`SELECT graphile_worker.add_job('retention:purge', run_at => now() - make_interval(mins => ${minutesAgo}))`;

    it('fails when jobs or messages are stuck, with workers and without', async () => {
      await addJob(10);
      expect(await checkOf('queue', at)).toMatchObject(failing(/^1 job due, the oldest for 10 minutes\.$/));
      await beat(queue, 60);
      expect(await checkOf('queue', at)).toMatchObject(failing(/No worker is running/));
      await queue.sql`DELETE FROM graphile_worker._private_jobs`;
      await queue.sql`
        INSERT INTO deliveries (account_id, id, message_id, route, ordinals, next_at, expires_at)
        VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'outbound', '{0}', now() - interval '7 minutes', now())`;
      expect(await checkOf('queue', at)).toMatchObject(
        failing(/^A message has been due for 7 minutes\. No worker is running\.$/),
      );
    });

    it('passes while due work is recent, and warns without a worker', async () => {
      await addJob(0);
      expect(await checkOf('queue', at)).toMatchObject({
        status: 'pass',
        message: expect.stringMatching(/^1 worker at work, 1 job about/),
      });
      await beat(queue, 31);
      expect(await checkOf('queue', at)).toMatchObject(warning(/No worker is running/));
    });

    it('warns about jobs that failed permanently, with the last error, and about workers that died with their jobs', async () => {
      await addJob(0);
      await queue.sql`UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '1 minute', locked_by = 'dead'`;
      expect(await checkOf('queue', at)).toMatchObject(warning(/^1 worker ended without/));
      await queue.sql`
        UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL, attempts = max_attempts, last_error = E'disk full\nat …'`;
      expect(await checkOf('queue', at)).toMatchObject(
        warning(/^1 job failed permanently, the last of them retention:purge: disk full$/),
      );
    });

    it('fails without its tables', async () => {
      const bare = await createTestDatabase();
      afterwards(() => bare.drop());
      await bare.sql`DROP SCHEMA graphile_worker CASCADE`;
      expect(await checkOf('queue', databaseEnvironment(bare))).toMatchObject(failing(/are missing/));
    });
  });

  it('the webhooks fails when events are stuck, and names endpoints that accept none', async () => {
    const now = new Date('2026-03-01T12:00:00Z');
    const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
    const counts = { working: 2, failing: 0, manual: 1, gone: 0, failed: 0 };
    const idle = { waiting: 4, due: 2, oldestDueAt: ago(1), oldestEventId: null, backlog: 1, oldestBacklogAt: ago(4) };
    const judged = (changes: object, endpoints: object = {}, troubled: readonly FailingEndpointRow[] = []) => {
      const queue = { ...idle, ...changes, endpoints: { ...counts, ...endpoints } };
      const { status, message, fix } = judgeWebhooks(queue, troubled, now);
      return { text: `${status}: ${message}`, fix };
    };
    expect(judged({}).text).toBe('pass: 2 webhook endpoints are receiving events, 4 deliveries are waiting.');
    expect(judged({}, { working: 0, manual: 0 }).text).toBe('pass: There are no webhook endpoints.');
    const late = judged({ oldestDueAt: ago(7), oldestBacklogAt: ago(5) });
    expect(late.text).toBe(
      'fail: 1 events are waiting to be stored, the oldest for 5 minutes. 2 deliveries are due, the oldest for 7 minutes.',
    );
    expect(late.fix).toContain('worker role');
    const endpoint = { accountName: 'Acme', id: 'e1', url: 'https://hooks.example/x?y', failingSince: ago(60) };
    const failing = judged({}, { failing: 1 }, [{ ...endpoint, disabledReason: null }]);
    expect(failing.text).toBe(
      'warn: 1 webhook endpoint is failing: e1 of Acme (hooks.example) since 2026-03-01T11:00:00.000Z.',
    );
    expect(failing.fix).toContain('postrider webhooks deliveries e1 --status failed');
    const gone = judged({}, { gone: 1, failed: 1 }, [{ ...endpoint, disabledReason: 'gone' }]);
    expect(gone.text).toMatch(/^warn: 2 webhook endpoints are disabled because .*: e1 of Acme/);
    expect(gone.fix).toMatch(/webhooks update e1 --status enabled.*webhooks replay e1 --since <time> --status failed/);
  });

  it('the secret key tries it on stored secrets', async () => {
    const other = Buffer.alloc(32, 9).toString('base64');
    expect(await checkOf('secret-key', { POSTRIDER_SECRET_KEY: other })).toMatchObject(failing(/sandbox\.test/));
    const former = { POSTRIDER_SECRET_KEY_PREVIOUS: TEST_SECRET_KEY.toString('base64') };
    expect(await checkOf('secret-key', { POSTRIDER_SECRET_KEY: other, ...former })).toMatchObject(
      warning(/encrypted with a former secret key/),
    );
    // In development it may lie in the data directory; it is not made here.
    const development = { POSTRIDER_MODE: 'development', POSTRIDER_SECRET_KEY: '' };
    expect(await checkOf('secret-key', development)).toMatchObject(failing(/secret\.key is missing/));
    expect(existsSync(join(folder, 'data', 'secret.key'))).toBe(false);
  });

  it('the transport contacts it', async () => {
    const relay = await closedPort();
    expect(await checkOf('transport', { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${relay}?tls=none` })).toMatchObject(
      failing(/./),
    );
    const sink = await startSmtpSink();
    afterwards(() => sink.close());
    expect(await checkOf('transport', { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` })).toMatchObject(
      { status: 'pass' },
    );
    expect(await checkOf('transport', { POSTRIDER_TRANSPORT: 'capture' })).toMatchObject(warning(/none is sent/));
    expect(await checkOf('transport', { POSTRIDER_SOURCE_ADDRESS: '192.0.2.77' })).toMatchObject(
      failing(/192\.0\.2\.77/),
    );
  });

  it('a mail server tries one when it is named', async () => {
    const sink = await startSmtpSink();
    afterwards(() => sink.close());
    dns.set('takes-mail.example', 'MX', '10 mx.takes-mail.example');
    dns.set('mx.takes-mail.example', 'A', '127.0.0.1');
    const tryIt = ['--try-mail-server', 'takes-mail.example'];
    expect(await checkOf('mail-server', { POSTRIDER_MX_PORT: String(sink.port) }, ...tryIt)).toMatchObject({
      status: 'pass',
      message: `mx.takes-mail.example [127.0.0.1] sends a greeting on port ${sink.port}.`,
    });
    const closed = String(await closedPort());
    expect(await checkOf('mail-server', { POSTRIDER_MX_PORT: closed }, ...tryIt)).toMatchObject(
      failing(/cannot be used on port/),
    );
    expect(await checkOf('mail-server', {}, '--try-mail-server', 'nowhere.example')).toMatchObject(
      failing(/nowhere\.example has no address/),
    );
  });

  it('the DNS resolves a name that every resolver knows', async () => {
    dns.remove('example.com');
    expect(await checkOf('dns')).toMatchObject(warning(/does not know example\.com/));
    dns.fail('example.com', '*', 'REFUSED');
    expect(await checkOf('dns')).toMatchObject(failing(/returned REFUSED/));
    dns.remove('example.com');
  });

  it('the HELO name requires an address whose reverse name it is', async () => {
    const name = (POSTRIDER_HELO_NAME: string, more: Environment = {}) =>
      checkOf('helo-name', { POSTRIDER_HELO_NAME, ...more });
    expect(await name('nowhere.doctor.example')).toMatchObject(failing(/has no address/));
    expect(await name('localhost')).toMatchObject(failing(/not a fully qualified name/));
    expect(await name('[192.0.2.25]')).toMatchObject(warning(/is an IP address/));
    dns.set('other.doctor.example', 'A', '192.0.2.25');
    expect(await name('other.doctor.example')).toMatchObject(
      failing(/192\.0\.2\.25 has the name mail\.doctor\.example/),
    );
    dns.set(HELO, 'A', ['192.0.2.25', '192.0.2.26']);
    expect(await name(HELO)).toMatchObject(warning(/192\.0\.2\.26 has no name/));
    dns.fail('no-answer.doctor.example', '*', 'SERVFAIL');
    expect(await name('no-answer.doctor.example')).toMatchObject(failing(/SERVFAIL/));
    // A relay knows its clients by other means.
    const relay = { POSTRIDER_TRANSPORT: 'smtp://127.0.0.1:1?tls=none' };
    expect(await name('nowhere.doctor.example', relay)).toMatchObject(warning(/has no address/));
    expect(await name(HELO, { POSTRIDER_SOURCE_ADDRESS: '192.0.2.99' })).toMatchObject(
      failing(/192\.0\.2\.99, which is not an address of/),
    );
  });

  it('the HELO name says which record or setting to change', async () => {
    const fixOf = async (POSTRIDER_HELO_NAME: string, more: Environment = {}) =>
      (await checkOf('helo-name', { POSTRIDER_HELO_NAME, ...more })).fix;
    expect(await fixOf('nowhere.doctor.example')).toMatch(
      /^Publish an A or AAAA record .*or change POSTRIDER_HELO_NAME/,
    );
    dns.set('differs.doctor.example', 'A', '192.0.2.25');
    expect(await fixOf('differs.doctor.example')).toMatch(
      /PTR record to differs\.doctor\.example, or change POSTRIDER_HELO_NAME to the name in that record\.$/,
    );
    expect(await fixOf(HELO, { POSTRIDER_SOURCE_ADDRESS: '192.0.2.99' })).toMatch(
      /^Publish an A or AAAA record .*or change POSTRIDER_SOURCE_ADDRESS\.$/,
    );
  });

  it('the certificate requires it to be readable, current, and to match its key and the server’s name', async () => {
    const own = await certificateFor([HELO]);
    const withFiles = (files: Environment) => checkOf('certificate', files);
    expect(await withFiles(own)).toMatchObject({ status: 'pass', message: expect.stringContaining(HELO) });
    expect(await withFiles(await certificateFor([HELO], -1))).toMatchObject(failing(/expired on \d{4}-\d\d-\d\d/));
    expect(await withFiles(await certificateFor([HELO], 5))).toMatchObject(warning(/expires on \d{4}/));
    expect(await withFiles(await certificateFor(['other.example']))).toMatchObject(
      warning(/is for other\.example, not for/),
    );
    const { POSTRIDER_TLS_KEY } = await certificateFor(['stranger.example']);
    expect(await withFiles({ ...own, POSTRIDER_TLS_KEY: POSTRIDER_TLS_KEY ?? '' })).toMatchObject(
      failing(/do not contain a certificate/),
    );
    expect(await withFiles({ ...own, POSTRIDER_TLS_CERT: join(folder, 'none.crt') })).toMatchObject(
      failing(/none\.crt cannot be read/),
    );
    expect(await withFiles({ POSTRIDER_TLS_CERT: '', POSTRIDER_TLS_KEY: '' })).toMatchObject(warning(/is off/));
    expect(await withFiles({ POSTRIDER_ROLES: 'api,worker' })).toMatchObject({ status: 'skip' });
  });
});

async function closedPort(): Promise<number> {
  return await new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
