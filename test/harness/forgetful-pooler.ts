import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { splitStart, withoutStartParameters } from './startup-packet.ts';
import type { TestDatabase } from './test-database.ts';

export interface ForgetfulPooler {
  /** The same database, through the pooler. */
  readonly database: TestDatabase;
  close(): Promise<void>;
}

const SOCKET = '.s.PGSQL.5432';

/** What operators list in PgBouncer's `ignore_startup_parameters` for clients that send parameters PgBouncer does not know. */
export const USUALLY_IGNORED = [
  ...['extra_float_digits', 'role', 'statement_timeout', 'plan_cache_mode', 'enable_seqscan', 'synchronous_commit'],
] as const;

/**
 * Passes connections on to the database and silently drops parameters of their startup packets, as PgBouncer does with
 * `ignore_startup_parameters`.
 */
export async function startForgetfulPooler(
  database: TestDatabase,
  dropped: readonly string[] = USUALLY_IGNORED,
): Promise<ForgetfulPooler> {
  const { target } = database;
  if (target.kind !== 'socket') throw new Error('The test database is reached over a socket.');
  const folder = await mkdtemp(join(tmpdir(), 'pg-'));
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(join(target.host, SOCKET));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    let waiting: Buffer | null = Buffer.alloc(0);
    client.on('data', (chunk: Buffer) => {
      if (waiting === null) {
        upstream.write(chunk);
        return;
      }
      waiting = Buffer.concat([waiting, chunk]);
      const split = splitStart(waiting);
      if (split === null) return;
      upstream.write(Buffer.concat([withoutStartParameters(split.start, dropped), split.rest]));
      waiting = null;
    });
    client.on('end', () => upstream.end());
    upstream.on('data', (chunk) => client.write(chunk)).on('end', () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(join(folder, SOCKET), resolve));
  return {
    database: { ...database, target: { ...target, host: folder } },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
