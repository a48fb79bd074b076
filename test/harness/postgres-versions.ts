import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/db/embedded-postgres.ts';
import { choosePrivileges, findFolderOwner } from '../../packages/server/src/db/postgres-privileges.ts';

/** The oldest version that Postrider promises to run on. */
export const OLDEST_POSTGRES = '15';

export interface TestPostgres {
  /** The folder of its socket. */
  readonly host: string;
  readonly user: string;
  stop(): Promise<void>;
}

type Settings = Readonly<Record<string, string>>;

const run = promisify(execFile);
const USER = 'postrider';
const START_MS = 20_000;

/** The PostgreSQL of a test run: the embedded one, or with TEST_POSTGRES=oldest the oldest promised one, as Debian packages it. */
export async function startTestPostgres(dataDir: string, settings: Settings): Promise<TestPostgres> {
  const wanted = process.env['TEST_POSTGRES'] ?? 'embedded';
  if (wanted === 'oldest') return await startDebianPostgres(dataDir, settings);
  if (wanted !== 'embedded') throw new Error(`TEST_POSTGRES must be embedded or oldest, and is ${wanted}.`);
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  return { ...postgres.connection, stop: postgres.stop };
}

/** Programs that Debian puts beside one another by version. */
export function debianPrograms(version: string): { readonly postgres: string; readonly initdb: string } {
  const folder = `/usr/lib/postgresql/${version}/bin`;
  if (!existsSync(join(folder, 'postgres'))) {
    throw new Error(
      `PostgreSQL ${version} is not installed: there is no ${folder}/postgres. Install it with: apt-get install postgresql-${version}`,
    );
  }
  return { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') };
}

async function startDebianPostgres(dataDir: string, settings: Settings): Promise<TestPostgres> {
  const programs = debianPrograms(OLDEST_POSTGRES);
  const privileges = await choosePrivileges(programs, dataDir, await findFolderOwner(dataDir));
  const cluster = join(dataDir, 'postgres');
  const host = join(dataDir, 'run');
  for (const folder of [cluster, host]) {
    await mkdir(folder, { mode: 0o700 });
    if (process.geteuid?.() === 0) await chown(folder, privileges.uid, privileges.gid);
  }
  await chmod(cluster, 0o700);
  const start = (program: string, args: readonly string[]) => {
    const { command, args: whole, ...identity } = privileges.call(program, args);
    return { command, whole: [...whole], identity };
  };
  const making = start(programs.initdb, [
    ...['-D', cluster, `--username=${USER}`, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
  ]);
  await run(making.command, making.whole, making.identity);
  const all = { ...COMMON, unix_socket_directories: host, ...settings };
  const running = start(programs.postgres, [
    ...['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
  ]);
  const child = spawn(running.command, running.whole, { ...running.identity, stdio: ['ignore', 'ignore', 'pipe'] });
  await untilReady(child, host);
  const ended = once(child, 'exit');
  return {
    host,
    user: USER,
    async stop() {
      child.kill('SIGINT'); // Fast shutdown: connections are closed.
      await ended;
    },
  };
}

const COMMON: Settings = {
  listen_addresses: '',
  unix_socket_permissions: '0777',
  timezone: 'UTC',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
  autovacuum_naptime: '20s',
};

async function untilReady(child: ChildProcess, host: string): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const target = { kind: 'socket', host, user: USER, database: 'postgres' } as const;
  const deadline = performance.now() + START_MS;
  for (;;) {
    const sql = openDatabase({ target, maxConnections: 1, applicationName: 'tests', deadlineMs: 2_000 });
    const isReady = await sql`SELECT 1`.then(
      () => true,
      () => false,
    );
    await sql.end({ timeout: 1 });
    if (isReady) return;
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`PostgreSQL ${OLDEST_POSTGRES} did not start:\n${said}`);
    await pause(100);
  }
}
