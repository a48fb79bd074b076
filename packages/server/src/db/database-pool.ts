import { pipeline } from 'node:stream/promises';
import type { Sql as Driver, ReservedSql } from 'postgres';
import { untilAborted } from './cancel-request.ts';
import { queryOn, type SendOptions } from './driver-query.ts';
import type { Connection, Sql, TransactionMode, TransactionWork } from './query.ts';
import { createQueryDeadline, type QueryDeadline } from './query-deadline.ts';
import type { QueryResult } from './query-result.ts';
import type { TransactionSettings } from './session-settings.ts';
import { runTransaction } from './transaction.ts';

export interface Pool extends Sql {
  /** What each transaction for an account sets; null for a pool that was not opened for accounts. */
  readonly settings: TransactionSettings | null;
  /** A connection of its own for the caller, who releases it. */
  reserve(): Promise<Connection>;
  /** Work of one round trip on such a connection: under one deadline, the wait for the connection included. */
  runOnConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Sends lines of COPY's text format. */
  copyIn(statement: string, lines: string): Promise<void>;
  /** @param options how many seconds queries under way have */
  end(options?: { readonly timeout?: number }): Promise<void>;
}

export interface PoolOptions {
  /** Makes a pool of the driver that calls `onLost` when a connection is closed, with its number; it must close none by itself. */
  readonly open: (onLost: (connection?: number) => void) => Driver;
  readonly maxConnections: number;
  /** How long one statement may take; null for as long as the server lets it. */
  readonly deadlineMs: number | null;
  readonly probe?: () => Promise<unknown>;
  readonly settings: TransactionSettings | null;
}

/** How long queries on the other connections of a pool may go on once one connection was lost; a caller of a lost query waits as long. */
const GRACE_SECONDS = 1;
/** Behind a silent connection there is nothing to wait for; connections that are just being opened take a moment to be closed. */
const SILENT_GRACE_SECONDS = 0.01;

/** One pool of the driver, until a connection of it is lost. */
interface Generation {
  readonly driver: Driver;
  readonly deadline: QueryDeadline | null;
  /** Opens every connection where that has not been done. */
  readonly opened: () => Promise<unknown>;
  /** The driver's numbers of the connections that were lost. */
  readonly lost: ReadonlySet<number>;
}

/**
 * A pool of the driver that is replaced by a new one whenever it loses a connection, or leaves a statement without an answer for too long.
 *
 * The driver (postgres.js 3.4) can lose a query with a connection: what is handed to it between its `error` and its `close` is never
 * settled, and bytes of it that were not written yet keep the connection from being opened again. The caller of such a query waits for ever,
 * and so do all callers after it. Ending the old pool settles all that it still has, and the new one knows nothing of it.
 *
 * The deadline applies to every statement, those of transactions and of reserved connections included, and to BEGIN and COMMIT: rejected with
 * DatabaseSilentError.
 */
export function createDatabasePool({ open, maxConnections, deadlineMs, probe, settings }: PoolOptions): Pool {
  const leaving = new Set<Promise<void>>();
  let isEnded = false;
  let current = openNext();

  function openNext(): Generation {
    const lost = new Set<number>();
    const driver: Driver = open((connection) => {
      if (connection !== undefined) lost.add(connection);
      replace(driver, GRACE_SECONDS);
    });
    const onSilent = () => replace(driver, SILENT_GRACE_SECONDS);
    const limits = { limitMs: deadlineMs ?? 0, ...(probe === undefined ? {} : { probe }) };
    const deadline = deadlineMs === null ? null : createQueryDeadline(limits, onSilent);
    return { driver, deadline, lost, opened: createOpening(driver, deadline, maxConnections, settings) };
  }

  function replace(driver: Driver, graceSeconds: number): void {
    if (isEnded || driver !== current.driver) return;
    current = openNext();
    const left = driver.end({ timeout: graceSeconds }).finally(() => leaving.delete(left));
    leaving.add(left);
  }

  async function reserve(): Promise<Connection> {
    const { driver, deadline, lost, opened } = current;
    await opened();
    return connectionOn(await guard(deadline, () => driver.reserve()), deadline, lost);
  }

  return {
    settings,
    reserve,
    async begin<T>(...given: BeginArguments<T>) {
      const [mode, work] = given.length === 1 ? ['', given[0]] : given;
      return await runTransaction(reserve, () => `BEGIN ${mode}`, work);
    },
    run: (text, parameters) => sendOn(current.driver, current.deadline, text, parameters),
    async runOnConnection(work) {
      const { driver, deadline, lost, opened } = current;
      return await guard(deadline, async () => {
        await opened();
        return await work(connectionOn(await driver.reserve(), null, lost));
      });
    },
    async copyIn(statement, lines) {
      const { driver, deadline } = current;
      const stream = await guard(deadline, () => driver.unsafe(statement).writable());
      // The driver forgets a COPY whose connection is lost behind its last line.
      await guard(deadline, () => pipeline([lines], stream));
    },
    async end(options) {
      isEnded = true;
      await Promise.all([current.driver.end(options), ...leaving]);
    },
  };
}

export type BeginArguments<T> = [work: TransactionWork<T>] | [mode: TransactionMode, work: TransactionWork<T>];

async function guard<T>(deadline: QueryDeadline | null, work: () => Promise<T>): Promise<T> {
  return await (deadline === null ? work() : deadline.guard(work));
}

async function sendOn<Row>(
  on: Driver | ReservedSql,
  deadline: QueryDeadline | null,
  text: string,
  parameters?: readonly unknown[],
  signal?: AbortSignal,
  options?: SendOptions,
): Promise<QueryResult<Row>> {
  signal?.throwIfAborted();
  const query = queryOn<Row>(on, text, parameters, options);
  const answer = () => guard(deadline, () => query);
  return await (signal === undefined ? answer() : untilAborted(signal, query, answer));
}

/**
 * A reserved connection. After a loss it sends nothing, and is not given back: the driver (postgres.js 3.4) would write to a socket that is
 * gone, and that error, which no caller can catch, would end the process.
 */
function connectionOn(reserved: ReservedSql, deadline: QueryDeadline | null, lost: ReadonlySet<number>): Connection {
  let number: number | null = null;
  const isLost = () => number !== null && lost.has(number);
  const options: SendOptions = {
    onexecute({ id }) {
      number = id;
      return true;
    },
  };
  return {
    run: (text, parameters, signal) =>
      isLost()
        ? Promise.reject(new ConnectionLostError())
        : sendOn(reserved, deadline, text, parameters, signal, options),
    release() {
      if (!isLost()) reserved.release();
    },
  };
}

/** The connection of a transaction was closed between two of its statements. */
class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
  readonly code = 'CONNECTION_CLOSED';
  constructor() {
    super('The connection to the database was closed.');
  }
}

/**
 * As many statements at once as there are connections: each is sent to one that is not open yet. The driver (postgres.js 3.4, without its types
 * fetched) never hands out a connection it had to open to reserve it.
 */
function createOpening(
  driver: Driver,
  deadline: QueryDeadline | null,
  connections: number,
  settings: TransactionSettings | null,
): () => Promise<unknown> {
  let opening: Promise<unknown> | null = null;
  const look = settings?.look ?? 'SELECT 1';
  return () => {
    opening ??= Promise.all(Array.from({ length: connections }, () => sendOn(driver, deadline, look)))
      .then((answers) => settings?.note(answers.flat()))
      .catch((error: unknown) => {
        opening = null;
        throw error;
      });
    return opening;
  };
}
