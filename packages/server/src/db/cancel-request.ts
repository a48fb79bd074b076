import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** How long a statement may go on after a cancel request before another one is sent. */
const REPEAT_AFTER_MS = 50;

/**
 * Waits for the answer to a query of the driver, and cancels it when `signal` is aborted. PostgreSQL ignores a cancel request that arrives while
 * it waits for the next statement, so requests are repeated until the statement has ended. Returns only when no request is in transit, which
 * could otherwise cancel the next statement of the connection.
 */
export async function untilAborted<T>(signal: AbortSignal, query: object, answer: () => Promise<T>): Promise<T> {
  let isOver = false;
  let request: Promise<unknown> = Promise.resolve();

  async function cancel(): Promise<void> {
    // The driver has sent the query by then.
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
    return await answer();
  } finally {
    isOver = true;
    signal.removeEventListener('abort', onAbort);
    await request;
  }
}

/**
 * Whether the answer to this query is what the connection receives next. The driver (postgres.js 3.4) must not be asked to cancel one that is
 * queued behind another: it then gives the answer to the query after it, or sends nothing on that connection any more.
 */
function isActive(query: object): boolean {
  return Reflect.get(query, 'active') === true;
}

/**
 * Settles when the server has closed the connection of the request. Not by `query.cancel()`, which sends one request only and drops its promise:
 * a failure to connect would end the process.
 */
async function sendCancelRequest(query: object): Promise<void> {
  const send: unknown = Reflect.get(query, 'canceller');
  if (typeof send !== 'function') throw new TypeError('the driver has no way to cancel a query');
  try {
    await send(query);
  } catch {
    // The database cannot be reached: the query fails too, or the next request succeeds.
  }
}
