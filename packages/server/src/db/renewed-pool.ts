import type { Sql } from 'postgres';

/** How long queries on the other connections of a pool may go on once one connection was lost; a caller of a lost query waits as long. */
const GRACE_SECONDS = 1;

/**
 * A pool that is replaced by a new one whenever it loses a connection.
 *
 * The driver (postgres.js 3.4) can lose a query with it: what is handed to a connection between its `error` and its `close` is never
 * settled, and bytes of it that were not written yet keep the connection from being opened again. Whoever awaits such a query waits for
 * ever, and with it everybody behind it. Ending the old pool settles all that it still holds, and the new one knows nothing of it.
 *
 * @param open makes a pool that calls `onLost` when a connection is closed; it must close none of its own accord
 */
export function createRenewedPool(open: (onLost: () => void) => Sql): Sql {
  const leaving = new Set<Promise<void>>();
  let isEnded = false;
  let current = openNext();

  function openNext(): Sql {
    const pool: Sql = open(() => {
      if (isEnded || pool !== current) return;
      current = openNext();
      const left = pool.end({ timeout: GRACE_SECONDS }).finally(() => leaving.delete(left));
      leaving.add(left);
    });
    return pool;
  }

  async function end(options?: { readonly timeout?: number }): Promise<void> {
    isEnded = true;
    await Promise.all([current.end(options), ...leaving]);
  }

  return new Proxy(current, {
    apply: (_first, self, given) => Reflect.apply(current, self, given),
    get: (_first, name) => (name === 'end' ? end : Reflect.get(current, name)),
  });
}
