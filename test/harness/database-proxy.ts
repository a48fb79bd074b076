import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDatabase } from './test-database.ts';

export interface DatabaseProxy {
  /** The same database, through the proxy. */
  readonly database: TestDatabase;
  /** Drops every connection and refuses new ones, like a stopped Postgres. */
  down(): Promise<void>;
  /** Keeps connections open and accepts new ones, but passes no data, like a network that drops packets. */
  silence(): void;
  /** Delays what open connections send to the database by this time; new connections are not delayed. */
  delay(ms: number): void;
  /** Counts from now on how often the app sends this text to the database. */
  count(text: string): () => number;
  /** Ends the fault. Data that a silence held back is then passed on. */
  up(): Promise<void>;
  close(): Promise<void>;
}

const SOCKET = '.s.PGSQL.5432';

/** A proxy between an app and its database on its own socket, so that a test can make the database unavailable to that app only. */
export async function startDatabaseProxy(database: TestDatabase): Promise<DatabaseProxy> {
  const { target } = database;
  if (target.kind !== 'socket') throw new Error('The test database is reached over a socket.');
  const folder = await mkdtemp(join(tmpdir(), 'pg-'));
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let server: Server | null = null;
  let isSilent = false;
  let delayMs = 0;
  let delayed: ReadonlySet<Socket> = new Set();
  const counts = new Map<string, number>();

  async function up(): Promise<void> {
    isSilent = false;
    delayed = new Set();
    for (const socket of sockets) socket.resume();
    if (server !== null) return;
    const listening = createServer((client) => {
      const upstream = connect(join(target.kind === 'socket' ? target.host : '', SOCKET));
      pass(client, upstream);
      client.on('data', (chunk: Buffer) => {
        for (const [text, count] of counts) if (chunk.includes(text)) counts.set(text, count + 1);
      });
      pass(upstream, client);
      clients.add(client);
      client.on('close', () => clients.delete(client));
    });
    await new Promise<void>((resolve) => listening.listen(join(folder, SOCKET), resolve));
    server = listening;
  }

  function pass(from: Socket, to: Socket): void {
    sockets.add(from);
    from.on('error', () => undefined).on('close', () => sockets.delete(from));
    const write = (chunk: Buffer) => {
      if (delayed.has(from)) setTimeout(() => to.write(chunk), delayMs);
      else to.write(chunk);
    };
    from.on('data', write).on('end', () => to.end());
    if (isSilent) from.pause();
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
    count(text) {
      counts.set(text, 0);
      return () => counts.get(text) ?? 0;
    },
    delay(ms) {
      delayMs = ms;
      delayed = new Set(clients);
    },
    silence() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    async close() {
      await down();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
