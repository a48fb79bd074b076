import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDatabase } from './test-database.ts';

export interface DatabaseProxy {
  /** The same database, reached through the proxy. */
  readonly database: TestDatabase;
  /** Drops every connection and takes no new ones, as a Postgres that is down. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

const SOCKET = '.s.PGSQL.5432';

/** Stands between an app and its database on a socket of its own, so that a test can take the database away from that app alone. */
export async function startDatabaseProxy(database: TestDatabase): Promise<DatabaseProxy> {
  const { target } = database;
  if (target.kind !== 'socket') throw new Error('The test database is reached over a socket.');
  const folder = await mkdtemp(join(tmpdir(), 'pg-'));
  const sockets = new Set<Socket>();
  let server: Server | null = null;

  async function up(): Promise<void> {
    if (server !== null) return;
    const listening = createServer((client) => {
      const upstream = connect(join(target.kind === 'socket' ? target.host : '', SOCKET));
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      }
      client.pipe(upstream).pipe(client);
    });
    await new Promise<void>((resolve) => listening.listen(join(folder, SOCKET), resolve));
    server = listening;
  }

  async function down(): Promise<void> {
    const closing = server;
    server = null;
    if (closing === null) return;
    const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await up();
  return {
    database: { ...database, target: { ...target, host: folder } },
    up,
    down,
    async close() {
      await down();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
