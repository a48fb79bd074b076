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
  /** For a pool whose connections are reserved: all of them are opened before the first is, by this statement. */
  readonly opening?: { readonly look: string; note(rows: readonly unknown[]): void };
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
export function createRenewedPool({ open, deadlineMs, probe, opening }: RenewedPoolOptions): Sql {
  const leaving = new Set<Promise<void>>();
  let isEnded = false;
  let current = openNext();

  function openNext(): OpenPool {
    const pool: Sql = open(() => replace(pool, GRACE_SECONDS));
    const onSilent = () => replace(pool, SILENT_GRACE_SECONDS);
    const limits = { limitMs: deadlineMs ?? 0, ...(probe === undefined ? {} : { probe }) };
    const deadline = deadlineMs === null ? null : createQueryDeadline(limits, onSilent);
    return { pool, deadline, opened: opening === undefined ? null : createOpening(pool, deadline, opening) };
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
      const { pool, deadline, opened } = current;
      if (name === 'end') return end;
      if (name === 'reserve' && opened !== null) return async () => reserveOpened(pool, deadline, opened);
      if (name === ON_CONNECTION) return <T>(work: ConnectionWork<T>) => workReserved(pool, deadline, opened, work);
      if (name === GUARD)
        return <T>(work: Promise<T>) => (deadline === null ? work : deadline.guard<T>(work.then.bind(work)));
      return deadline === null ? Reflect.get(pool, name) : watchMember(pool, deadline, name);
    },
  });
}

interface OpenPool {
  readonly pool: Sql;
  readonly deadline: QueryDeadline | null;
  /** Opens every connection where that has not been done; null for a pool that opens them as it needs them. */
  readonly opened: (() => Promise<unknown>) | null;
}

/** As many statements at once as there are connections: each goes to one that is not open yet. */
function createOpening(
  pool: Sql,
  deadline: QueryDeadline | null,
  { look, note }: NonNullable<RenewedPoolOptions['opening']>,
): () => Promise<unknown> {
  let opening: Promise<unknown> | null = null;
  return () => {
    opening ??= Promise.all(Array.from({ length: pool.options.max }, () => watchQuery(pool.unsafe(look), deadline)))
      .then((answers) => note(answers.flat()))
      .catch((error: unknown) => {
        opening = null;
        throw error;
      });
    return opening;
  };
}

/** The driver (postgres.js 3.4, without its types fetched) never hands out a connection it had to open to reserve it. */
async function reserveOpened(
  pool: Sql,
  deadline: QueryDeadline | null,
  opened: () => Promise<unknown>,
): Promise<ReservedSql> {
  await opened();
  return deadline === null ? await pool.reserve() : await reserveWatched(pool, deadline);
}

type ConnectionWork<T> = (connection: ReservedSql) => Promise<T>;

const ON_CONNECTION = Symbol('on a connection');

/** Work of one round trip on a connection of its own, which the work releases: under one deadline, the wait for the connection included. */
export function runOnConnection<T>(sql: Sql, work: ConnectionWork<T>): Promise<T> {
  const run = Reflect.get(sql, ON_CONNECTION) as (work: ConnectionWork<T>) => Promise<T>; // What `get` above answers.
  return run(work);
}

function workReserved<T>(
  pool: Sql,
  deadline: QueryDeadline | null,
  opened: OpenPool['opened'],
  work: ConnectionWork<T>,
): Promise<T> {
  const run = async (): Promise<T> => {
    if (opened !== null) await opened();
    return await work(await pool.reserve());
  };
  return deadline === null ? run() : deadline.guard<T>((onDone, onFailed) => run().then(onDone, onFailed));
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

type TransactionWork = (transaction: TransactionSql) => unknown;

/** BEGIN and COMMIT are statements as well; between them it is the caller who takes the time. */
function beginWatched(pool: Sql, deadline: QueryDeadline, given: readonly unknown[]): Promise<unknown> {
  const options = given.slice(0, -1);
  const once = takenOnce(given.at(-1) as TransactionWork); // The last argument of `begin` works in the transaction.
  return new Promise((resolve, reject) => {
    let end = deadline.start(reject);
    const work = async (transaction: TransactionSql): Promise<unknown> => {
      end();
      try {
        return await once.take()(watchConnection(transaction, deadline));
      } finally {
        end = deadline.start(reject);
      }
    };
    const begun: Promise<unknown> = Reflect.apply(pool.begin, pool, [...options, work]);
    begun.then(resolve, reject).finally(() => end());
  });
}

/**
 * The driver (postgres.js 3.4) remembers for each statement where it was first sent from, and with it the function that worked in that
 * transaction, for ever. What this one worked on, such as the files of a message, is not to stay in memory with it.
 */
function takenOnce(work: TransactionWork): { take(): TransactionWork } {
  const kept = [work];
  return {
    take() {
      const [taken] = kept.splice(0);
      if (taken === undefined) throw new Error('a transaction began twice');
      return taken;
    },
  };
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
