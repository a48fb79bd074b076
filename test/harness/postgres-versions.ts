import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/postgres/embedded-postgres.ts';
import type { PostgresBinaries } from '../../packages/server/src/postgres/postgres-binaries.ts';
import {
  choosePrivileges,
  findFolderOwner,
  type PostgresPrivileges,
} from '../../packages/server/src/postgres/postgres-privileges.ts';
import { tagged } from './tagged.ts';

/** The oldest version that Postrider supports. */
export const OLDEST_POSTGRES = '15';

export interface TestPostgres {
  /** The folder of its socket. */
  readonly host: string;
  readonly user: string;
  stop(): Promise<void>;
}

type Programs = PostgresBinaries;
type Settings = Readonly<Record<string, string>>;

const run = promisify(execFile);
const USER = 'postrider';
const START_MS = 20_000;

/** The PostgreSQL of a test run: the embedded one, or with TEST_POSTGRES=oldest the oldest supported one from Debian's packages. */
export async function startTestPostgres(dataDir: string, settings: Settings): Promise<TestPostgres> {
  const wanted = process.env['TEST_POSTGRES'] ?? 'embedded';
  if (wanted === 'oldest') return await startDebianPostgres(dataDir, settings);
  if (wanted !== 'embedded') throw new Error(`TEST_POSTGRES must be embedded or oldest, and is ${wanted}.`);
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  return { ...postgres.connection, stop: postgres.stop };
}

/** Debian installs programs by version, beside one another. */
function debianPrograms(version: string): Programs {
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
  const host = join(dataDir, 'run');
  await mkdir(host, { mode: 0o700 });
  const cluster = await makeBareCluster(programs, dataDir);
  await giveTo(cluster.privileges, host);
  const settled = { listen_addresses: '', unix_socket_directories: host, ...settings };
  const server = await startBareServer(cluster, settled, { kind: 'socket', host, user: USER, database: 'postgres' });
  return { host, user: USER, stop: server.stop };
}

export interface BareCluster {
  readonly programs: Programs;
  readonly privileges: PostgresPrivileges;
  readonly folder: string;
}

/** A separate cluster, without the settings that the launcher adds to the embedded one. */
export async function makeBareCluster(programs: Programs, dataDir: string): Promise<BareCluster> {
  const privileges = await choosePrivileges(programs, dataDir, await findFolderOwner(dataDir));
  const folder = join(dataDir, 'postgres');
  await mkdir(folder, { mode: 0o700 });
  await giveTo(privileges, folder);
  const options = [`--username=${USER}`, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  const { command, args, ...identity } = privileges.call(programs.initdb, ['-D', folder, ...options]);
  await run(command, [...args], identity);
  return { programs, privileges, folder };
}

async function giveTo({ uid, gid }: PostgresPrivileges, folder: string): Promise<void> {
  if (process.geteuid?.() === 0) await chown(folder, uid, gid);
}

export interface BareServer {
  /** Stops it immediately and closes all connections. */
  stop(): Promise<void>;
}

export async function startBareServer(
  { programs, privileges, folder }: BareCluster,
  settings: Settings,
  target: DatabaseTarget,
): Promise<BareServer> {
  const all = Object.entries({ ...COMMON, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { command, args, ...identity } = privileges.call(programs.postgres, ['-D', folder, ...all]);
  const child = spawn(command, [...args], { ...identity, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  await untilReady(child, target);
  return {
    async stop() {
      child.kill('SIGINT'); // Fast shutdown: closes connections.
      await ended;
    },
  };
}

const COMMON: Settings = {
  unix_socket_permissions: '0777',
  timezone: 'UTC',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
  autovacuum_naptime: '20s',
};

async function untilReady(child: ChildProcess, target: DatabaseTarget): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const deadline = performance.now() + START_MS;
  for (;;) {
    const sql = tagged(openDatabase({ target, maxConnections: 1, applicationName: 'tests', deadlineMs: 2_000 }));
    const isReady = await sql`SELECT 1`.then(
      () => true,
      () => false,
    );
    await sql.end({ timeout: 1 });
    if (isReady) return;
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`PostgreSQL did not start:\n${said}`);
    await pause(100);
  }
}
