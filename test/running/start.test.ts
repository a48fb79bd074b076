import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { cpus, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runServer as runHere } from '../../packages/server/src/commands/run-server.ts';
import { MALLOC_SETTINGS } from '../../packages/server/src/malloc.ts';
import { runInProcess } from '../cli/run-in-process.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import {
  databaseEnvironment,
  type Environment,
  type Finished,
  runServer,
  type ServerProcess,
  startServerProcess,
} from '../harness/server-process.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { type CallOptions, callApi } from '../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const UNTIL = { timeout: 20_000, interval: 50 };

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('postrider-server start, on a machine that has nothing else', () => {
  let folder: string;
  let environment: Environment;
  let server: ServerProcess;
  let baseUrl: string;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON file whose form is what the tests assert
  let quickstart: any;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-start-'));
    const port = await freePort();
    environment = {
      POSTRIDER_DATA_DIR: join(folder, '.postrider'),
      POSTRIDER_PORT: String(port),
      POSTRIDER_SMTP_PORT: String(await freePort()),
      POSTRIDER_SMTPS_PORT: String(await freePort()),
      POSTRIDER_TRANSPORT: 'smtp://127.0.0.1:1?tls=none',
    };
    const { POSTRIDER_TRANSPORT: _, ...first } = environment;
    server = startServerProcess(['start'], first);
    baseUrl = await server.ready;
    quickstart = JSON.parse(await readFile(join(folder, '.postrider/quickstart.json'), 'utf8'));
  });
  afterAll(async () => {
    server.child.kill('SIGKILL');
    await server.finished;
    await rm(folder, { recursive: true, force: true });
  });

  const call = (method: string, path: string, options: CallOptions = {}) =>
    callApi(baseUrl, quickstart.key, method, path, options);
  const send = (to = 'delivered@sandbox.test') =>
    call('POST', '/emails', { body: { from: 'ada@sandbox.test', to, subject: 'Hello', text: 'Hi' } });

  it('is ready within 15 s of its install, by its own clock', { tags: ['contract-running.start'] }, () => {
    const [, seconds] = /^ready in (\d+\.\d) s: /m.exec(server.stdout) ?? [];
    // Twice the time of a machine that has nothing else to do: this one runs other tests beside it.
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(Number(seconds)).toBeLessThan(cpus().length > 2 ? 15 : 30);
  });

  it.runIf(process.platform === 'linux')(
    'limits the memory that malloc keeps',
    { tags: ['holes.hostile-work'] },
    async () => {
      const environment = (await readFile(`/proc/${server.child.pid}/environ`, 'utf8')).split('\0');
      const settings = Object.entries(MALLOC_SETTINGS).map(([name, value]) => `${name}=${value}`);
      expect(environment).toEqual(expect.arrayContaining(settings));
    },
  );

  it('is what `pnpm start` runs', { tags: ['contract-running.start', 'contract-running.names'] }, async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(scripts.start).toBe('node packages/server/src/main.ts start');
    const bins: Record<string, string> = {};
    for (const name of ['core', 'server', 'sdk', 'mcp', 'cli']) {
      const manifest = JSON.parse(await readFile(`packages/${name}/package.json`, 'utf8'));
      expect(manifest.name).toBe(`@postrider/${name}`);
      Object.assign(bins, manifest.bin);
    }
    expect(Object.keys(bins).sort()).toEqual(['postrider', 'postrider-mcp', 'postrider-server']);
  });

  it('sends itself a test message, says what a new user needs, and finally that it is ready', {
    tags: ['contract-running.first-message', 'contract-running.console-address'],
  }, async () => {
    const { stdout } = server;
    expect(stdout).toMatch(/first message: [0-9a-f-]{36} is delivered\n/);
    for (const text of [quickstart.baseUrl, quickstart.key, quickstart.consoleUrl, quickstart.mcpUrl, 'curl ']) {
      expect(stdout).toContain(text);
    }
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(new RegExp(`^ready .*${baseUrl}$`));
    expect(server.stderr).not.toContain('warning');
    const { messages } = (await call('GET', '/emails')).body;
    expect(messages).toMatchObject([{ status: 'delivered', source: 'system', subject: 'Your first message' }]);
    expect((await call('GET', '/dev/mailbox')).body.messages).toHaveLength(1);
  });

  it('prints one link first that opens the console signed in, once', {
    tags: ['contract-running.open-console'],
  }, async () => {
    const [, link = ''] = /^ {2}open the console \(once\): (\S+)$/m.exec(server.stdout) ?? [];
    expect(link.replace(baseUrl, '')).toMatch(/^\/console\/open\/[\w-]{43}$/);
    expect(server.stdout.indexOf(link)).toBeLessThan(server.stdout.indexOf(quickstart.key));
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
    const opened = await fetch(link, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/console']);
    const [cookie = ''] = opened.headers.getSetCookie().map((line) => line.slice(0, line.indexOf(';')));
    const { user } = await (await fetch(`${baseUrl}/auth/session`, { headers: { cookie } })).json();
    expect(user.email).toBe(quickstart.ownerEmail);
    expect((await fetch(link, { redirect: 'manual' })).status).toBe(404);
    expect(JSON.stringify(quickstart)).not.toContain('/console/open/');
  });

  it('writes the same to quickstart.json, for its owner alone', {
    tags: [
      'contract-settings.address',
      'contract-running.quickstart',
      'contract-running.quickstart-console',
      'contract-running.quickstart-smtp',
    ],
  }, async () => {
    expect((await stat(join(folder, '.postrider/quickstart.json'))).mode & 0o777).toBe(0o600);
    expect(quickstart).toEqual({
      baseUrl,
      key: expect.stringMatching(/^pr_live_\w{39}$/),
      accountId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      accountName: 'Postrider',
      ownerEmail: 'owner@sandbox.test',
      consoleUrl: `${baseUrl}/console`,
      smtp: {
        host: '127.0.0.1',
        port: Number(environment['POSTRIDER_SMTP_PORT']),
        tlsPort: Number(environment['POSTRIDER_SMTPS_PORT']),
      },
      mcpUrl: `${baseUrl}/mcp`,
    });
    expect(baseUrl).toBe(`http://127.0.0.1:${environment['POSTRIDER_PORT']}`);
    const visited = await call('GET', new URL(quickstart.consoleUrl).pathname);
    expect([visited.status, visited.headers.get('location')]).toEqual([303, '/auth/sign-in?next=%2Fconsole']);
  });

  it('has one account with an owner, one key of scope full, and the sandbox domain ready to send from', {
    tags: ['contract-running.start', 'contract-settings.storage'],
  }, async () => {
    const { body } = await call('GET', '/keys/self');
    expect(body).toMatchObject({ account: { id: quickstart.accountId, name: 'Postrider' } });
    expect(body.scopes).toHaveLength(25);
    const sent = await send();
    expect((await call('GET', `/emails/${sent.body.id}?wait=10`)).body.status).toBe('delivered');
  });

  it('can be tried by the curl it prints', async () => {
    const data = /-d '(.+)'/.exec(server.stdout)?.[1] ?? '';
    const { status, body } = await call('POST', '/emails', { rawBody: data });
    expect([status, body.status]).toEqual([202, 'queued']);
  });

  it('is the CLI’s default profile on this machine', { tags: ['contract-running.default-profile'] }, async () => {
    const { code, stdout } = await runInProcess(['whoami', '--json'], { cwd: folder });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ account: { id: quickstart.accountId } });
  });

  it('allows operator commands beside it, which see its one account and the owner', {
    tags: ['contract-operator.anywhere', 'contract-running.start'],
  }, async () => {
    const { code, stdout } = await runServer(['accounts', 'list', '--json'], environment);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).accounts).toMatchObject([
      { accountId: quickstart.accountId, name: 'Postrider', ownerEmail: 'owner@sandbox.test', status: 'active' },
    ]);
  });

  it('restarts its Postgres when that dies, returning 503 meanwhile and never losing accepted messages', {
    tags: ['contract-running.postgres-restarted'],
  }, async () => {
    const accepted = await send();
    const [pid] = (await readFile(join(folder, '.postrider/postgres/postmaster.pid'), 'utf8')).split('\n');
    const statuses = new Set<number>();
    process.kill(Number(pid), 'SIGKILL');
    await expect
      .poll(async () => {
        const { status } = await call('GET', '/emails');
        statuses.add(status);
        return status;
      }, UNTIL)
      .toBe(503);
    await expect
      .poll(async () => {
        const { status } = await send();
        statuses.add(status);
        return status;
      }, UNTIL)
      .toBe(202);
    expect([...statuses].filter((status) => ![200, 202, 503].includes(status))).toEqual([]);
    expect((await call('GET', `/emails/${accepted.body.id}?wait=20`)).body.status).toBe('delivered');
    await expect.poll(async () => (await call('GET', '/health/ready')).status, UNTIL).toBe(200);
    const later = await send();
    expect((await call('GET', `/emails/${later.body.id}?wait=20`)).body.status).toBe('delivered');
  });

  it('that is killed blocks nothing: the next start reuses everything and has every message', {
    tags: ['contract-running.second-start'],
  }, async () => {
    const sent = await send();
    server.child.kill('SIGKILL');
    await server.finished;
    server = startServerProcess(['start'], environment);
    expect(await server.ready).toBe(baseUrl);
    expect(JSON.parse(await readFile(join(folder, '.postrider/quickstart.json'), 'utf8'))).toEqual(quickstart);
    expect(server.stdout).not.toContain('first message');
    expect(server.stdout).toContain(quickstart.key);
    expect(server.stdout).toContain(`  open the console (once): ${baseUrl}/console/open/`);
    expect((await call('GET', `/emails/${sent.body.id}?wait=20`)).body.status).toBe('delivered');
    const { messages } = (await call('GET', '/emails?limit=100')).body;
    expect(messages.filter(({ subject }: { subject: string }) => subject === 'Your first message')).toHaveLength(1);
  });

  it('drains on SIGTERM: completes open requests, accepts no new ones, stops Postgres last, within 15 s', {
    tags: ['contract-running.drain'],
  }, async () => {
    // The relay of this start is away, so a message outside the sandbox has no outcome to wait for.
    const { body } = await send('ann@example.com');
    const waiting = call('GET', `/emails/${body.id}?wait=60`);
    await expect.poll(async () => (await call('GET', `/emails/${body.id}`)).body.status, UNTIL).toBe('deferred');
    const beganMs = performance.now();
    server.child.kill('SIGTERM');
    const response = await waiting;
    expect([response.status, response.body.status]).toEqual([200, 'deferred']);
    const { code, signal, stderr } = await server.finished;
    expect([code, signal]).toEqual([0, null]);
    expect(performance.now() - beganMs).toBeLessThan(15_000);
    expect(stderr).not.toMatch(/"level":(50|60)/);
    await expect(call('GET', '/health')).rejects.toThrow();
    await expect(stat(join(folder, '.postrider/postgres/postmaster.pid'))).rejects.toThrow('ENOENT');
  });
});

describe('postrider-server start, with a problem', () => {
  let folder: string;
  let database: TestDatabase;
  let environment: Environment;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-wrong-'));
    database = await createTestDatabase();
    environment = {
      ...databaseEnvironment(database),
      POSTRIDER_DATA_DIR: folder,
      POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
      POSTRIDER_PORT: '0',
    };
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function refusal(changes: Environment, ...args: readonly string[]): Promise<string> {
    return expectRefusal(await runServer(['start', ...args], { ...environment, ...changes }));
  }

  /** The same command in this process, for what is found out before anything is begun: another process is most of what such a test costs. */
  async function refusalHere(changes: Environment, ...args: readonly string[]): Promise<string> {
    const said = { stdout: '', stderr: '' };
    const code = await runHere(['start', ...args], {
      environment: { ...environment, ...changes },
      write: (text) => (said.stdout += text),
      writeError: (text) => (said.stderr += text),
      progress: () => undefined,
    });
    return expectRefusal({ code, ...said });
  }

  function expectRefusal({ code, stdout, stderr }: Pick<Finished, 'code' | 'stdout' | 'stderr'>): string {
    expect(code).toBe(1);
    expect(stdout).not.toMatch(/^ready/m);
    expect(stderr).toMatch(/^error: /m);
    expect(stderr).toMatch(/^ {2}fix: \S/m);
    expect(stderr).not.toMatch(/^\s+at /m);
    return stderr;
  }

  it('names every wrong setting and does not start', {
    tags: ['contract-settings.wrong', 'contract-settings.roles', 'contract-development.loopback-only'],
  }, async () => {
    const said = await refusalHere({ POSTRIDER_PORT: 'x', POSTRIDER_HOST: '0.0.0.0' }, '--roles', 'cook');
    for (const name of ['POSTRIDER_PORT', 'POSTRIDER_HOST', 'POSTRIDER_ROLES']) expect(said).toContain(`${name}: `);
  });

  it('names the port in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const said = await refusal({ POSTRIDER_PORT: port });
    expect(said).toContain(`Port ${port} on 127.0.0.1 is in use`);
    expect(said).toContain('POSTRIDER_PORT=');
    await new Promise((resolve) => other.close(resolve));
  });

  // In /proc nothing can be made, and the system says of it that it is not there.
  it.each(['/dev/null/x', ...(process.platform === 'linux' ? ['/proc/x/y'] : [])])(
    'names the data directory that cannot be written, and does not retry forever: %s',
    async (dataDir) => {
      const said = await refusalHere({ POSTRIDER_DATA_DIR: dataDir });
      expect(said).toContain(`${dataDir} cannot be written`);
      expect(said).toContain('POSTRIDER_DATA_DIR');
    },
  );

  it.each([
    'postgres://user:hunter2@127.0.0.1:1/mail',
    'postgres://user@127.0.0.1:1/mail?sslmode=disable&password=hunter2',
  ])('names the database that does not respond, without its password, and soon: %s', async (url) => {
    const beganMs = performance.now();
    const said = await refusalHere({ DATABASE_URL: url });
    expect(said).toContain('(postgres://user@127.0.0.1:1/mail)');
    expect(said).not.toContain('hunter2');
    expect(performance.now() - beganMs).toBeLessThan(15_000);
  });

  it('says that the stored secrets were encrypted with another key', {
    tags: ['contract-settings.secret-key'],
  }, async () => {
    const said = await refusal({ POSTRIDER_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') });
    expect(said).toContain('another secret key');
    expect(said).toContain('POSTRIDER_SECRET_KEY');
  });

  it('in production creates no account and no quickstart.json, warns about capture, and prints its address', {
    tags: [
      'contract-running.production-start',
      'contract-settings.address',
      'contract-settings.storage',
      'contract-running.capture-in-production',
      'contract-settings.mode',
      'contract-settings.log-level',
    ],
  }, async () => {
    const port = String(await freePort());
    const local = `http://127.0.0.1:${port}`;
    const production = {
      ...environment,
      NODE_ENV: 'production',
      POSTRIDER_PORT: port,
      POSTRIDER_BASE_URL: 'https://mail.example/',
      POSTRIDER_TRANSPORT: 'capture',
      POSTRIDER_LOG_LEVEL: 'debug',
    };
    const server = startServerProcess([], production);
    expect(await server.ready).toBe('https://mail.example');
    expect(server.stdout).toContain('(production)');
    expect(server.stdout).toContain(`  listening on 127.0.0.1:${port}\n`);
    expect(server.stdout).not.toContain('pr_live_');
    expect(server.stdout).not.toContain('/console/open/');
    expect(server.stderr).toContain('warning: POSTRIDER_TRANSPORT is capture');
    await expect(stat(join(folder, 'quickstart.json'))).rejects.toThrow('ENOENT');
    expect(await database.sql`SELECT 1 FROM accounts`).toHaveLength(0);
    const refused = await callApi(local, '', 'GET', '/dev/mailbox', { key: null });
    expectProblem(refused, 404, 'not_found');
    expect(refused.body.type).toBe('https://mail.example/reference#error-not_found');
    const { stdout } = await runServer(
      ['accounts', 'create', '--name', 'A', '--owner', 'a@example.com', '--json'],
      production,
    );
    const { key, accountId } = JSON.parse(stdout);
    const { body } = await callApi(local, key, 'GET', '/keys/self', {});
    expect(body.account.id).toBe(accountId);
    server.child.kill('SIGTERM');
    const { code, stderr } = await server.finished;
    expect(code).toBe(0);
    const log = stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    expect(log.some(({ level, path }) => level === 20 && path === '/keys/self')).toBe(true);
    expect(stderr).not.toContain(key.slice(8));
  });

  it('in production on every address, without a base URL, warns and uses the host name of its machine', async () => {
    const port = String(await freePort());
    const server = startServerProcess([], {
      ...environment,
      POSTRIDER_MODE: 'production',
      POSTRIDER_HOST: '0.0.0.0',
      POSTRIDER_PORT: port,
      POSTRIDER_ROLES: 'api',
      POSTRIDER_TRANSPORT: 'capture',
    });
    expect(await server.ready).toBe(`http://${hostname()}:${port}`);
    expect(server.stdout).toContain(`  listening on 0.0.0.0:${port}\n`);
    expect(server.stderr).toContain('warning: POSTRIDER_BASE_URL is not set');
    server.child.kill('SIGTERM');
    expect((await server.finished).code).toBe(0);
  });
});
