import type { Query, Sql } from './client.ts';

/**
 * Runs statements that end at once when `signal` says so: rejected then with SQLSTATE 57014, or the signal's reason where nothing was sent
 * yet. They run in a transaction, since PostgreSQL cancels whatever a connection is at when the word arrives: that can only be the end of
 * this transaction, and never the statement of somebody who got the connection next.
 */
export async function runCancelable<T>(sql: Sql, signal: AbortSignal, work: (query: Query) => Promise<T>): Promise<T> {
  let result: { readonly value: T } | null = null;
  await sql.begin('READ ONLY', async (transaction) => {
    const query = new Proxy(transaction, {
      apply: (target, self, given) => cancelable(Reflect.apply(target, self, given), signal),
      get: (target, name) => {
        if (name !== 'unsafe') return Reflect.get(target, name);
        return (...given: unknown[]) => cancelable(Reflect.apply(target.unsafe, target, given), signal);
      },
    });
    result = { value: await work(query) };
  });
  // The driver's type of what `begin` answers unwraps arrays of promises; what `work` answered was kept above.
  return (result as unknown as { readonly value: T }).value;
}

/** A query is sent when somebody first asks for its result; a part of another one never is. */
function cancelable(query: unknown, signal: AbortSignal): unknown {
  if (!(query instanceof Promise) || !('cancel' in query) || typeof query.cancel !== 'function') return query;
  const send = query.then.bind(query);
  const cancel = query.cancel.bind(query);
  let asked = false;
  const ask: typeof send = (onDone, onFailed) => {
    if (asked) return send(onDone, onFailed);
    asked = true;
    if (signal.aborted) return Promise.reject(signal.reason).then(onDone, onFailed);
    signal.addEventListener('abort', cancel, { once: true });
    const forget = () => signal.removeEventListener('abort', cancel);
    send(forget, forget);
    return send(onDone, onFailed);
  };
  // biome-ignore lint/suspicious/noThenProperty: it is a promise, and its own `then` is what sends it.
  return Object.assign(query, { then: ask });
}
