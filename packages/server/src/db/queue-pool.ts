import { Client, Pool } from 'pg';
import { type DatabaseTarget, toConnectionString } from './client.ts';
import type { PrimaryHost } from './primary-host.ts';

/** The pool of graphile-worker, which uses its own driver (`pg`), on the same database as all other pools. */
export function openQueuePool(target: DatabaseTarget, maxConnections: number, onLost: (error: Error) => void): Pool {
  const options = { connectionString: toConnectionString(target), max: maxConnections, connectionTimeoutMillis: 5_000 };
  const pool =
    target.kind === 'cluster'
      ? follow(target.primary, new Pool({ ...options, Client: clientOf(target.primary) }))
      : new Pool(options);
  // An `error` event without a listener would end the process.
  return pool.on('error', onLost).on('connect', (client) => client.on('error', onLost));
}

/**
 * Closes connections to servers that are no longer the primary. Connections to a server that vanished silently would otherwise stay open;
 * listening ones, forever.
 */
function follow(primary: PrimaryHost, pool: Pool): Pool {
  const clients = new Set<object>();
  pool.on('connect', (client) => clients.add(client)).on('remove', (client) => clients.delete(client));
  const stop = primary.onMove(({ host, port }) => {
    for (const client of clients) {
      const isThere = Reflect.get(client, 'host') === host && Reflect.get(client, 'port') === port;
      if (!isThere) Reflect.get(client, 'connection')?.stream?.destroy();
    }
  });
  const end = pool.end.bind(pool);
  return Object.assign(pool, {
    end: async () => {
      stop();
      await end();
    },
  });
}

/** `pg` accepts one host, so each connection gets the current primary when it is opened. */
function clientOf(primary: PrimaryHost): typeof Client {
  return class extends Client {
    override connect(): Promise<this>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<this> | undefined {
      const connected = primary.find().then(async (to) => {
        Object.assign(this, to);
        await super.connect();
        return this;
      });
      if (callback === undefined) return connected;
      // On success there is no error to pass, although the type requires one.
      connected.then(() => callback(undefined as unknown as Error), callback);
      return undefined;
    }
  };
}
