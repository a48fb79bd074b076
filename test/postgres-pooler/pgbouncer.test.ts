import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bindAccount } from '../../packages/server/src/db/account-client.ts';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { examineAccountWall } from '../../packages/server/src/doctor/check-account-wall.ts';
import { locatePostgresBinaries } from '../../packages/server/src/postgres/postgres-binaries.ts';
import { USUALLY_IGNORED } from '../harness/forgetful-pooler.ts';
import { type BareServer, makeBareCluster, startBareServer } from '../harness/postgres-versions.ts';
import { type TaggedPool, tagged } from '../harness/tagged.ts';
import { prepareTemplate } from '../harness/template-database.ts';

const MINE = '00000000-0000-7000-8000-0000000000a1';
const THEIRS = '00000000-0000-7000-8000-0000000000b2';
const NOBODY = 65_534;

/** `pnpm test:pgbouncer`, since it needs Debian's package pgbouncer. */
describe.each(['session', 'transaction'])('behind PgBouncer in %s mode', (mode) => {
  let folder: string;
  let server: BareServer;
  let pooler: ChildProcess;
  let direct: TaggedPool;
  let target: DatabaseTarget;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
    await chmod(folder, 0o755);
    const [port, poolerPort] = [await freePort(), await freePort()];
    const urlOf = (at: number): DatabaseTarget => ({
      kind: 'url',
      url: `postgres://postrider@127.0.0.1:${at}/postgres`,
    });
    const cluster = await makeBareCluster(await locatePostgresBinaries(), folder);
    const reach = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port) };
    server = await startBareServer(cluster, { ...reach, fsync: 'off' }, urlOf(port));
    await prepareTemplate(urlOf(port));
    direct = tagged(openDatabase({ target: urlOf(port), maxConnections: 1, applicationName: 'tests' }));
    for (const id of [MINE, THEIRS])
      await direct`INSERT INTO accounts (id, name, created_at) VALUES (${id}, 'x', now())`;
    target = urlOf(poolerPort);
    pooler = await startPgBouncer(folder, port, poolerPort, mode, target);
  });
  afterAll(async () => {
    await direct?.end({ timeout: 1 });
    if (pooler !== undefined) {
      const ended = once(pooler, 'exit');
      pooler.kill('SIGKILL');
      await ended;
    }
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('loses the role a connection starts with, and still shows nothing of other accounts', async () => {
    const pool = tagged(openDatabase({ target, maxConnections: 2, applicationName: 'tests', forAccounts: true }));
    const [lost] = await pool.unsafe(`SELECT current_user AS user, current_setting('statement_timeout') AS timeout`);
    expect(lost).toEqual({ user: 'postrider', timeout: '0' });
    expect(await pool.unsafe('SELECT id FROM accounts')).toHaveLength(2);
    const mine = tagged(bindAccount(pool, MINE));
    // Without named statements, which PgBouncer before 1.21 does not carry in transaction mode.
    expect([...(await mine.unsafe('SELECT id FROM accounts'))]).toEqual([{ id: MINE }]);
    expect([...(await mine.begin(async (tx) => await tx.unsafe('SELECT id FROM accounts')))]).toEqual([{ id: MINE }]);
    expect([
      ...(await mine.unsafe(`SELECT current_user AS user, current_setting('statement_timeout') AS timeout`)),
    ]).toEqual([{ user: 'postrider_app', timeout: '30s' }]);
    await pool.end();
  });

  it.runIf(mode === 'session')('prevents a start until the user has a statement_timeout', async () => {
    const { faults } = await examineAccountWall(target);
    expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining('statement_timeout is not set')]);
    await direct`ALTER ROLE postrider SET statement_timeout = '30s'`;
    await direct`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`;
    await expect.poll(async () => (await examineAccountWall(target).catch(() => null))?.faults).toEqual([]);
  });
});

async function startPgBouncer(
  folder: string,
  port: number,
  poolerPort: number,
  mode: string,
  target: DatabaseTarget,
): Promise<ChildProcess> {
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(users, '"postrider" ""\n');
  const lines = [
    ...['[databases]', `* = host=127.0.0.1 port=${port}`, '[pgbouncer]', 'listen_addr = 127.0.0.1'],
    ...[`listen_port = ${poolerPort}`, 'unix_socket_dir =', 'auth_type = trust', `auth_file = ${users}`],
    ...[`pool_mode = ${mode}`, `ignore_startup_parameters = ${USUALLY_IGNORED.join(', ')}`],
  ];
  await writeFile(settings, `${lines.join('\n')}\n`);
  const identity = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn('/usr/sbin/pgbouncer', ['-q', settings], { ...identity, stdio: 'ignore' });
  child.once('error', () => undefined);
  if (child.pid === undefined) throw new Error('PgBouncer is not installed: apt-get install pgbouncer');
  await vi.waitFor(
    async () => {
      const sql = tagged(openDatabase({ target, maxConnections: 1, applicationName: 'tests', deadlineMs: 2_000 }));
      await sql.unsafe('SELECT 1').finally(() => sql.end({ timeout: 1 }));
    },
    { timeout: 20_000, interval: 100 },
  );
  return child;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo; // A TCP server that listens has no other kind of address.
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
