import { appendFile, chown, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { locatePostgresBinaries } from '../../packages/server/src/postgres/postgres-binaries.ts';
import { type BareCluster, type BareServer, makeBareCluster, startBareServer } from './postgres-versions.ts';
import { tagged } from './tagged.ts';

/** Two servers on loopback: a primary and its standby. */
export interface PrimaryAndStandby {
  /** The ports of the primary and the standby, before any promotion. */
  readonly ports: readonly [number, number];
  urlOf(ports: readonly number[], parameters?: string): string;
  /** Queries one of the servers directly, bypassing everything that chooses between them. */
  ask<T extends object>(port: number, statement: string): Promise<readonly T[]>;
  /** Promotes the standby, so that it accepts writes. */
  promote(): Promise<void>;
  stopPrimary(): Promise<void>;
  stop(): Promise<void>;
}

const DATABASE = 'mail';

/** The standby is a copy of the primary's files, made while the primary was stopped. */
export async function startPrimaryAndStandby(): Promise<PrimaryAndStandby> {
  const programs = await locatePostgresBinaries();
  const folders = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'pg-'))));
  const [first = '', second = ''] = folders;
  const ports = [await freePort(), await freePort()] as const;
  const targetOf = (port: number, database: string): DatabaseTarget => ({
    ...{ kind: 'url', url: `postgres://postrider@127.0.0.1:${port}/${database}` },
  });
  const start = (cluster: BareCluster, port: number) =>
    startBareServer(cluster, settingsOf(port), targetOf(port, 'postgres'));
  async function ask<T extends object>(port: number, statement: string, database = DATABASE): Promise<readonly T[]> {
    const sql = tagged(
      openDatabase({ target: targetOf(port, database), maxConnections: 1, applicationName: 'looking' }),
    );
    try {
      return await sql.unsafe<T[]>(statement);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  const primary = await makeBareCluster(programs, first);
  let server: BareServer = await start(primary, ports[0]);
  await ask(ports[0], `CREATE DATABASE ${DATABASE}`, 'postgres');
  await server.stop();
  const copy: BareCluster = { ...primary, folder: join(second, 'postgres') };
  await mkdir(copy.folder, { mode: 0o700 });
  await cp(primary.folder, copy.folder, { recursive: true });
  await writeFile(join(copy.folder, 'standby.signal'), '');
  const connection = `host=127.0.0.1 port=${ports[0]} user=postrider`;
  await appendFile(join(copy.folder, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`);
  await giveAll(copy);
  server = await start(primary, ports[0]);
  const standby = await start(copy, ports[1]);
  let isPrimaryUp = true;

  async function stopPrimary(): Promise<void> {
    if (!isPrimaryUp) return;
    isPrimaryUp = false;
    await server.stop();
  }

  return {
    ports,
    urlOf: (of, parameters = '') =>
      `postgres://postrider@${of.map((port) => `127.0.0.1:${port}`).join(',')}/${DATABASE}${parameters}`,
    ask,
    promote: async () => void (await ask(ports[1], 'SELECT pg_promote()')),
    stopPrimary,
    async stop() {
      await Promise.all([stopPrimary(), standby.stop()]);
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

function settingsOf(port: number): Readonly<Record<string, string>> {
  const reach = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port) };
  return { ...reach, fsync: 'off', full_page_writes: 'off', max_connections: '120', shared_buffers: '32MB' };
}

async function giveAll({ folder, privileges }: BareCluster): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  await chown(folder, privileges.uid, privileges.gid);
  for (const name of await readdir(folder, { recursive: true }))
    await chown(join(folder, name), privileges.uid, privileges.gid);
}

async function freePort(): Promise<number> {
  return await new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
