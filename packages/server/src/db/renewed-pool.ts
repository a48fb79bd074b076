import type { ReservedSql, Sql, TransactionSql } from 'postgres';
import { createQueryDeadline, type QueryDeadline } from './query-deadline.ts';

/** How long queries on the other connections of a pool may go on once one connection was lost; a caller of a lost query waits as long. */
const GRACE_SECONDS = 1;
/** Behind a silent connection there is nothing to wait for; connections that are just being opened take a moment to be closed. */
const SILENT_GRACE_SECONDS = 0.01;

export interface RenewedPoolOptions {
  /** Makes a pool that calls `onLost` when a connection is closed; it must close none of its own accord. */
  readonly open: (onLost: () => void) => Sql;
  /** How long one statement may take; null for as long as the server lets it. */
  readonly deadlineMs: number | null;
  readonly probe?: () => Promise<unknown>;
}

/**
 * A pool that is replaced by a new one whenever it loses a connection, or leaves a statement without an answer for too long.
 *
 * The driver (postgres.js 3.4) can lose a query with it: what is handed to a connection between its `error` and its `close` is never
 * settled, and bytes of it that were not written yet keep the connection from being opened again. Whoever awaits such a query waits for
 * ever, and with it everybody behind it. Ending the old pool settles all that it still holds, and the new one knows nothing of it.
 *
 * The deadline holds for every statement, those of transactions and of reserved connections included, and for BEGIN and COMMIT: rejected with
 * DatabaseSilentError. It does not hold for a cursor, which is read as fast as its reader goes.
 */
export function createRenewedPool({ open, deadlineMs, probe }: RenewedPoolOptions): Sql {
  const leaving = new Set<Promise<void>>();
  let isEnded = false;
  let current = openNext();

  function openNext(): { readonly pool: Sql; readonly deadline: QueryDeadline | null } {
    const pool: Sql = open(() => replace(pool, GRACE_SECONDS));
    const onSilent = () => replace(pool, SILENT_GRACE_SECONDS);
    const limits = { limitMs: deadlineMs ?? 0, ...(probe === undefined ? {} : { probe }) };
    return { pool, deadline: deadlineMs === null ? null : createQueryDeadline(limits, onSilent) };
  }

  function replace(pool: Sql, graceSeconds: number): void {
    if (isEnded || pool !== current.pool) return;
    current = openNext();
    const left = pool.end({ timeout: graceSeconds }).finally(() => leaving.delete(left));
    leaving.add(left);
  }

  async function end(options?: { readonly timeout?: number }): Promise<void> {
    isEnded = true;
    await Promise.all([current.pool.end(options), ...leaving]);
  }

  return new Proxy(current.pool, {
    apply: (_first, self, given) => watchQuery(Reflect.apply(current.pool, self, given), current.deadline),
    get: (_first, name) => {
      const { pool, deadline } = current;
      if (name === 'end') return end;
      if (name === GUARD)
        return <T>(work: Promise<T>) => (deadline === null ? work : deadline.guard<T>(work.then.bind(work)));
      return deadline === null ? Reflect.get(pool, name) : watchMember(pool, deadline, name);
    },
  });
}

const GUARD = Symbol('guard');

/** Puts work that goes on after its statement was answered, such as a COPY, under the deadline of the pool it runs on. */
export async function guardWork<T>(sql: Sql, work: Promise<T>): Promise<T> {
  const guard: unknown = Reflect.get(sql, GUARD);
  return typeof guard === 'function' ? await guard(work) : await work;
}

function watchMember(pool: Sql, deadline: QueryDeadline, name: string | symbol): unknown {
  if (name === 'begin') return (...given: unknown[]) => beginWatched(pool, deadline, given);
  if (name === 'reserve') return () => reserveWatched(pool, deadline);
  if (name === 'unsafe') return (...given: unknown[]) => watchQuery(Reflect.apply(pool.unsafe, pool, given), deadline);
  return Reflect.get(pool, name);
}

async function reserveWatched(pool: Sql, deadline: QueryDeadline): Promise<ReservedSql> {
  const reserved = pool.reserve();
  return watchConnection(await deadline.guard<ReservedSql>(reserved.then.bind(reserved)), deadline);
}

/** BEGIN and COMMIT are statements as well; between them it is the caller who takes the time. */
function beginWatched(pool: Sql, deadline: QueryDeadline, given: readonly unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let end = deadline.start(reject);
    const work = async (transaction: TransactionSql): Promise<unknown> => {
      end();
      try {
        // The last argument of `begin` is the function that works in the transaction.
        return await (given.at(-1) as (transaction: TransactionSql) => unknown)(watchConnection(transaction, deadline));
      } finally {
        end = deadline.start(reject);
      }
    };
    const begun: Promise<unknown> = Reflect.apply(pool.begin, pool, [...given.slice(0, -1), work]);
    begun.then(resolve, reject).finally(() => end());
  });
}

function watchConnection<Connection extends TransactionSql | ReservedSql>(
  connection: Connection,
  deadline: QueryDeadline,
): Connection {
  return new Proxy(connection, {
    apply: (target, self, given) => watchQuery(Reflect.apply(target, self, given), deadline),
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name !== 'unsafe' || typeof member !== 'function') return member;
      return (...given: unknown[]) => watchQuery(Reflect.apply(member, target, given), deadline);
    },
  });
}

/** A query is sent when somebody first asks for its result, and so is a part of another one never: that is when its time begins. */
function watchQuery(query: unknown, deadline: QueryDeadline | null): unknown {
  if (deadline === null || !(query instanceof Promise)) return query;
  const send = query.then.bind(query);
  let outcome: Promise<unknown> | null = null;
  const ask: typeof send = (onDone, onFailed) => {
    outcome ??= deadline.guard<unknown>(send);
    return outcome.then(onDone, onFailed);
  };
  // biome-ignore lint/suspicious/noThenProperty: it is a promise, and its own `then` is what sends it.
  return Object.assign(query, { then: ask });
}
