import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** How long to wait for a statement to end before the cancel request is sent again. */
const REPEAT_AFTER_MS = 50;

/**
 * Waits for the result of a driver query and cancels the query if `signal` is aborted. PostgreSQL ignores a cancel request that arrives
 * between statements, so the request is repeated until the statement ends. Returns only when no request is in transit, because a late
 * request could cancel the connection's next statement.
 */
export async function untilAborted<T>(signal: AbortSignal, query: object, response: () => Promise<T>): Promise<T> {
  let isOver = false;
  let request: Promise<unknown> = Promise.resolve();

  async function cancel(): Promise<void> {
    // By then the driver has sent the query.
    await nextTurn();
    while (!isOver) {
      if (isActive(query)) request = sendCancelRequest(query);
      await request;
      await pause(REPEAT_AFTER_MS);
    }
  }

  const onAbort = () => void cancel();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await response();
  } finally {
    isOver = true;
    signal.removeEventListener('abort', onAbort);
    await request;
  }
}

/**
 * Whether the connection's next result belongs to this query. The driver (postgres.js 3.4) must not cancel a query that is queued behind
 * another: it would pass the result to the query after it, or stop sending on that connection.
 */
function isActive(query: object): boolean {
  return Reflect.get(query, 'active') === true;
}

/**
 * Settles when the server has closed the connection of the cancel request. `query.cancel()` is not used: it sends only one request and
 * drops its promise, so a failure to connect would end the process.
 */
async function sendCancelRequest(query: object): Promise<void> {
  const send: unknown = Reflect.get(query, 'canceller');
  if (typeof send !== 'function') throw new TypeError('the driver has no way to cancel a query');
  try {
    await send(query);
  } catch {
    // The database is unreachable: either the query fails too, or the next request succeeds.
  }
}
