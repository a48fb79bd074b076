import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres, { type Sql } from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  attachEmbeddedPostgres,
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  type EmbeddedPostgresOptions,
  type PostgresConnection,
  startEmbeddedPostgres,
} from '../../packages/server/src/postgres/embedded-postgres.ts';
import { locatePostgresBinaries } from '../../packages/server/src/postgres/postgres-binaries.ts';
import { readPostmasterFile } from '../../packages/server/src/postgres/postmaster-file.ts';
import { listRunningProcesses, readRunningProcess } from '../../packages/server/src/postgres/running-process.ts';
import { COMPILE_CACHE } from '../harness/compile-cache.ts';

const OWNER_PROGRAM = fileURLToPath(new URL('embedded-postgres-owner.ts', import.meta.url));
const IS_ROOT = process.geteuid?.() === 0;
/** Only a power cut would show the difference, and there is none in memory. */
const QUICK = { fsync: 'off' };

let base: string;
let template: string;
let dataDirs = 0;
const clients: Sql[] = [];
const owners: ChildProcess[] = [];
const started: EmbeddedPostgres[] = [];

beforeAll(async () => {
  base = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'postrider-test-'));
  await chmod(base, 0o755);
  template = join(base, 'template');
  const first = await startEmbeddedPostgres({ dataDir: template, settings: QUICK });
  await first.stop();
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end({ timeout: 0 });
  for (const running of started.splice(0)) await running.stop();
  for (const owner of owners.splice(0)) {
    owner.kill('SIGKILL');
    if (owner.exitCode === null && owner.signalCode === null) await once(owner, 'exit');
  }
});

afterAll(async () => {
  // A watchdog may still be at work on the last killed owner's server, which then removes its files as well.
  await vi.waitFor(async () => expect(await listOf(base)).toEqual([]), { timeout: 20_000 });
  await rm(base, { recursive: true, force: true });
});

describe('the first start', () => {
  it('creates the database and says what takes time', async () => {
    const progress: string[] = [];
    const { connection } = await start(emptyDataDir(), { onProgress: (text) => progress.push(text) });
    expect(progress).toEqual(['preparing the database (first start only)', 'starting PostgreSQL 18']);
    const [row] = await connect(connection)`SELECT current_database() AS database, current_user AS user,
      current_setting('server_version_num')::int / 10000 AS major, pg_encoding_to_char(encoding) AS encoding,
      datlocprovider AS provider, datlocale AS locale FROM pg_database WHERE datname = current_database()`;
    expect(row).toEqual({
      ...{ database: 'postrider', user: 'postrider', major: 18 },
      ...{ encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' },
    });
  });

  it('keeps what was committed through a loss of power and stays off the network', async () => {
    const { connection } = await start(await usedDataDir(), { settings: {} });
    const rows = await connect(connection)`SELECT name, setting FROM pg_settings
      WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'listen_addresses')`;
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      ...{ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', listen_addresses: '' },
    });
  });

  it('hides its socket from other users, in a short path however long the data directory', async () => {
    const dataDir = join(base, 'a-folder-with-a-long-name-'.repeat(5));
    await copyTemplate(dataDir);
    const { connection } = await start(dataDir);
    expect(Buffer.byteLength(join(connection.host, '.s.PGSQL.5432'))).toBeLessThan(100);
    expect((await stat(connection.host)).mode & 0o777).toBe(0o700);
    expect(await connect(connection)`SELECT 1 AS one`).toEqual([{ one: 1 }]);
    await started[0]?.stop();
    if (IS_ROOT) {
      await chown(connection.host, 54_321, 54_321);
      await expect(start(dataDir)).rejects.toThrow(/belongs to another user/);
    }
    await rm(connection.host, { recursive: true });
  });

  it('removes the leftovers of a start that was killed halfway', async () => {
    const dataDir = emptyDataDir();
    const owner = launchOwner(dataDir);
    await firstMessage(owner, 'progress');
    await vi.waitFor(async () => expect((await readdir(dataDir)).join()).toContain('postgres.new-'), { interval: 5 });
    await kill(owner);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
    const { connection } = await start(dataDir);
    expect(await connect(connection)`SELECT 1 AS one`).toEqual([{ one: 1 }]);
    expect((await readdir(dataDir)).join()).not.toContain('postgres.new-');
  });
});

describe('a later start', () => {
  it('finds the data of the earlier one and does not create the database again', async () => {
    const dataDir = await usedDataDir();
    const first = await start(dataDir);
    await connect(first.connection)`CREATE TABLE kept AS SELECT 42 AS value`;
    await first.stop();
    const progress: string[] = [];
    const second = await start(dataDir, { onProgress: (text) => progress.push(text) });
    expect(await connect(second.connection)`SELECT value FROM kept`).toEqual([{ value: 42 }]);
    expect(progress).toEqual(['starting PostgreSQL 18']);
  });

  it('is not blocked by lock files that name a live process other than PostgreSQL', async () => {
    const dataDir = await usedDataDir();
    const stale = `${process.pid}\n${join(dataDir, 'postgres')}\n1700000000\n5432\n${dataDir}/run\n\n 1 1\nready   \n`;
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), stale);
    await mkdir(join(dataDir, 'run'), { recursive: true });
    await writeFile(join(dataDir, 'run', '.s.PGSQL.5432.lock'), stale);
    expect(await attachEmbeddedPostgres({ dataDir })).toBeNull();
    const { connection } = await start(dataDir);
    expect(await connect(connection)`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });

  it('rotates a log that has grown long', async () => {
    const dataDir = await usedDataDir();
    const log = join(dataDir, 'postgres.log');
    await writeFile(log, 'x'.repeat(6_000_000));
    await start(dataDir);
    expect((await stat(log)).size).toBeLessThan(10_000);
    expect((await stat(`${log}.1`)).size).toBe(6_000_000);
  });

  it('is rejected while another process owns the data directory, which it names', async () => {
    const dataDir = await usedDataDir();
    const owner = launchOwner(dataDir);
    await firstMessage(owner, 'connection');
    const refusal = await refusalOf(start(dataDir));
    expect(refusal.message).toContain(`process ${owner.pid}`);
    expect(refusal.fix).toMatch(/Stop that process.*DATABASE_URL/);
  });
});

describe('a server that dies', () => {
  it('restarts on the same socket with all that was committed, and reports both', async () => {
    const down = Promise.withResolvers<string>();
    const up = Promise.withResolvers<void>();
    const dataDir = await usedDataDir();
    const { connection } = await start(dataDir, { onDown: down.resolve, onUp: up.resolve });
    await connect(connection)`CREATE TABLE kept AS SELECT 42 AS value`;
    process.kill(await serverPid(dataDir), 'SIGKILL');
    expect(await down.promise).toBe('PostgreSQL was killed by SIGKILL');
    await up.promise;
    expect(await connect(connection)`SELECT value FROM kept`).toEqual([{ value: 42 }]);
  });

  it('restarts although one of its processes is too busy to notice', async () => {
    const up = Promise.withResolvers<void>();
    const dataDir = await usedDataDir();
    const { connection } = await start(dataDir, { onUp: up.resolve });
    const busy = connect(connection)`SELECT count(*) FROM generate_series(1, 1e15::bigint)`;
    const lost = expect(busy).rejects.toThrow();
    const watcher = connect(connection);
    await vi.waitFor(
      async () => {
        const active =
          await watcher`SELECT 1 FROM pg_stat_activity WHERE query LIKE '%1e15%' AND pid <> pg_backend_pid()`;
        expect(active).toHaveLength(1);
      },
      { timeout: 15_000 },
    );
    process.kill(await serverPid(dataDir), 'SIGKILL');
    await up.promise;
    await lost;
    expect(await connect(connection)`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });

  it('restarts every time', async () => {
    const dataDir = await usedDataDir();
    let up = Promise.withResolvers<void>();
    await start(dataDir, { onUp: () => up.resolve() });
    for (let round = 1; round <= 3; round += 1) {
      process.kill(await serverPid(dataDir), 'SIGKILL');
      await up.promise;
      up = Promise.withResolvers();
    }
    expect(await readRunningProcess(await serverPid(dataDir))).not.toBeNull();
  });
});

describe('an owner that is killed', () => {
  it('stops the server with it, and the next one has every row that was committed', async () => {
    const dataDir = await usedDataDir();
    const owner = launchOwner(dataDir);
    const sql = connect(await firstMessage(owner, 'connection'));
    await sql`CREATE TABLE kept (answer int)`;
    const committed = writeUntilLost(sql);
    const orphan = await serverPid(dataDir);
    await kill(owner);
    await vi.waitFor(async () => expect(await readRunningProcess(orphan)).toBeNull(), { timeout: 12_000 });
    const { connection } = await start(dataDir);
    const [row] = await connect(connection)`SELECT count(*)::int AS rows FROM kept`;
    // The last row may have been committed without the word of it coming through.
    expect(row?.['rows'] - (await committed)).toBeOneOf([0, 1]);
  });

  it('stops the server with it although its first watchdog was killed', async () => {
    const dataDir = await usedDataDir();
    const owner = launchOwner(dataDir);
    await firstMessage(owner, 'connection');
    const [first] = await watchdogsOf(dataDir);
    process.kill(first ?? 0, 'SIGKILL');
    await vi.waitFor(async () => expect(await watchdogsOf(dataDir)).toEqual([expect.not.toBeOneOf([first])]));
    const orphan = await serverPid(dataDir);
    await kill(owner);
    await vi.waitFor(async () => expect(await readRunningProcess(orphan)).toBeNull(), { timeout: 12_000 });
  });

  it('does not delay a new owner, even when its watchdog was killed as well', async () => {
    const dataDir = await usedDataDir();
    const owner = launchOwner(dataDir);
    const connection: PostgresConnection = await firstMessage(owner, 'connection');
    await connect(connection)`CREATE TABLE kept AS SELECT 42 AS value`;
    const orphan = await serverPid(dataDir);
    const watchdogs = await watchdogsOf(dataDir);
    expect(watchdogs).toHaveLength(1);
    // Stopped first, so that it cannot put another watchdog in the killed one's place.
    owner.kill('SIGSTOP');
    for (const pid of watchdogs) process.kill(pid, 'SIGKILL');
    await kill(owner);
    const next = await start(dataDir);
    expect(await readRunningProcess(orphan)).toBeNull();
    expect(await connect(next.connection)`SELECT value FROM kept`).toEqual([{ value: 42 }]);
  });
});

describe('stopping', () => {
  it('ends the server with clients still connected, once for all callers', async () => {
    const dataDir = await usedDataDir();
    const running = await start(dataDir);
    const open = connect(running.connection);
    await open`SELECT 1`;
    await Promise.all([running.stop(), running.stop()]);
    expect(await readPostmasterFile(join(dataDir, 'postgres', 'postmaster.pid'))).toBeNull();
    // The watchdog, a shell, ends by itself a moment later.
    await expect.poll(() => listOf(dataDir)).toEqual([]);
    await expect(open`SELECT 1`).rejects.toThrow();
  });

  it('leaves the data directory to the next owner', async () => {
    const dataDir = await usedDataDir();
    await (await start(dataDir)).stop();
    expect(await attachEmbeddedPostgres({ dataDir })).toBeNull();
    expect((await start(dataDir)).attached).toBe(false);
  });
});

describe('attaching', () => {
  it('reaches the server of another process, and does not stop it', async () => {
    const dataDir = await usedDataDir();
    const owner = launchOwner(dataDir);
    const connection = await firstMessage(owner, 'connection');
    const attached = await attachEmbeddedPostgres({ dataDir });
    expect(attached).toMatchObject({ attached: true, connection });
    await attached?.stop();
    expect(await connect(attached?.connection ?? connection)`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });

  it('waits for a server that is still being started', async () => {
    const dataDir = await usedDataDir();
    const owner = launchOwner(dataDir);
    await firstMessage(owner, 'progress');
    expect(await attachEmbeddedPostgres({ dataDir })).toMatchObject({ attached: true });
  });

  it('returns null when no server runs, or there is no data directory', async () => {
    expect(await attachEmbeddedPostgres({ dataDir: await usedDataDir() })).toBeNull();
    expect(await attachEmbeddedPostgres({ dataDir: join(base, 'nowhere') })).toBeNull();
  });
});

describe('an impossible start', () => {
  it('names a file in the place of the data directory', async () => {
    const dataDir = emptyDataDir();
    await writeFile(dataDir, '');
    const refusal = await refusalOf(start(dataDir));
    expect(refusal.message).toContain(dataDir);
    expect(refusal.fix).toMatch(/Move that file to another place/);
  });

  it('names a data directory that cannot be written', async () => {
    const refusal = await refusalOf(start(join(await unwritableFolder(), 'data')));
    expect(refusal.message).toMatch(/The data directory .* cannot be used/);
    expect(refusal.fix).toMatch(/writable/);
  });

  it('names the other version that created the database', async () => {
    const dataDir = await usedDataDir();
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '16\n');
    const refusal = await refusalOf(start(dataDir));
    expect(refusal.message).toMatch(/created by PostgreSQL 16, but this is PostgreSQL 18/);
    expect(refusal.fix).toMatch(/Dump it with PostgreSQL 16.*DATABASE_URL/);
  });

  it('names other files in the place of the database, which it leaves alone', async () => {
    const dataDir = emptyDataDir();
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'letter.txt'), 'dear');
    const refusal = await refusalOf(start(dataDir));
    expect(refusal.message).toMatch(/not a PostgreSQL database/);
    expect(await readFile(join(dataDir, 'postgres', 'letter.txt'), 'utf8')).toBe('dear');
  });

  it('reports the server’s own message when it does not start', async () => {
    const refusal = await refusalOf(start(await usedDataDir(), { settings: { max_connections: 'many' } }));
    expect(refusal.message).toMatch(/exited with code 1 before it was ready.*max_connections/s);
    expect(refusal.fix).toMatch(/DATABASE_URL/);
  });

  it('suggests DATABASE_URL on a platform without the programs', async () => {
    const refusal = await refusalOf(locatePostgresBinaries('sunos', 'sparc'));
    expect(refusal.message).toContain('@embedded-postgres/sunos-sparc');
    expect(refusal.fix).toMatch(/DATABASE_URL/);
  });
});

async function start(dataDir: string, options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const running = await startEmbeddedPostgres({ dataDir, settings: QUICK, ...options });
  started.push(running);
  return running;
}

function connect({ host, database, user }: PostgresConnection): Sql {
  const client = postgres({ host, port: 5432, database, username: user, max: 1, onnotice: () => {} });
  clients.push(client);
  return client;
}

function emptyDataDir(): string {
  dataDirs += 1;
  return join(base, `data-${dataDirs}`);
}

/** A separate data directory that another start has been in. */
async function usedDataDir(): Promise<string> {
  const dataDir = emptyDataDir();
  await copyTemplate(dataDir);
  return dataDir;
}

async function copyTemplate(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  execFileSync('cp', ['-a', join(template, 'postgres'), dataDir]);
}

/** Permissions do not stop root, but the kernel's own file system does. */
async function unwritableFolder(): Promise<string> {
  if (IS_ROOT) return '/sys';
  const folder = emptyDataDir();
  await mkdir(folder, { mode: 0o500 });
  return folder;
}

function launchOwner(dataDir: string): ChildProcess {
  const owner = fork(OWNER_PROGRAM, [dataDir], { execArgv: [], env: { ...process.env, ...COMPILE_CACHE } });
  owners.push(owner);
  return owner;
}

/** The owner's first message of that kind. */
async function firstMessage(owner: ChildProcess, kind: 'progress' | 'connection') {
  for await (const [message] of on(owner, 'message', { close: ['exit'] })) if (kind in message) return message[kind];
  throw new Error('the owner ended before it said so');
}

async function kill(owner: ChildProcess): Promise<void> {
  const gone = once(owner, 'exit');
  owner.kill('SIGKILL');
  await gone;
}

async function serverPid(dataDir: string): Promise<number> {
  const file = await readPostmasterFile(join(dataDir, 'postgres', 'postmaster.pid'));
  if (file === null) throw new Error('no server runs');
  return file.pid;
}

/** The processes that have the folder in their command. */
async function listOf(folder: string) {
  return (await listRunningProcesses()).filter(({ command }) => command.includes(folder));
}

async function watchdogsOf(dataDir: string): Promise<number[]> {
  const watchdogs = (await listOf(dataDir)).filter(({ command }) => command.includes('postrider-watchdog'));
  return watchdogs.map(({ pid }) => pid);
}

/** Commits row after row until the connection is lost; how many were confirmed. */
async function writeUntilLost(sql: Sql): Promise<number> {
  for (let committed = 0; ; committed += 1) {
    try {
      await sql`INSERT INTO kept VALUES (${committed})`;
    } catch {
      return committed;
    }
  }
}

async function refusalOf(attempt: Promise<unknown>): Promise<EmbeddedPostgresError> {
  const error = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof EmbeddedPostgresError) return error;
  throw new Error('it was not refused as it should be', { cause: error });
}
