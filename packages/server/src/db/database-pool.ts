import { pipeline } from 'node:stream/promises';
import type { Sql as Driver, ReservedSql } from 'postgres';
import { untilAborted } from './cancel-request.ts';
import { queryOn, releaseParameters, type SendOptions } from './driver-query.ts';
import type { Connection, Sql, TransactionMode, TransactionWork } from './query.ts';
import { createQueryDeadline, type QueryDeadline } from './query-deadline.ts';
import type { QueryResult } from './query-result.ts';
import { SET_TOGETHER, type TransactionSettings } from './session-settings.ts';
import { runTogether, runTransaction } from './transaction.ts';

export interface Pool extends Sql {
  /** What each transaction for an account sets; null for a pool that was not opened for accounts. */
  readonly settings: TransactionSettings | null;
  /** Reserves a connection for the caller, who must release it. */
  reserve(): Promise<Connection>;
  /** Runs work of one round trip on a reserved connection. One deadline covers it, including the wait for the connection. */
  runOnConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Sends lines in COPY's text format. */
  copyIn(statement: string, lines: string): Promise<void>;
  /** @param options how many seconds running queries may take to finish */
  end(options?: { readonly timeout?: number }): Promise<void>;
}

export interface PoolOptions {
  /**
   * Opens a driver pool that calls `onLost` with the connection's number when a connection is closed. The driver must not close connections
   * by itself.
   */
  readonly open: (onLost: (connection?: number) => void) => Driver;
  readonly maxConnections: number;
  /** How long one statement may take; null leaves it to the server's limit. */
  readonly deadlineMs: number | null;
  readonly probe?: () => Promise<unknown>;
  readonly settings: TransactionSettings | null;
}

/** How long queries on a pool's other connections may continue after one connection was lost. The caller of a lost query waits as long. */
const GRACE_SECONDS = 1;
/** On silent connections there is nothing to wait for; connections that are just being opened take a moment to close. */
const SILENT_GRACE_SECONDS = 0.01;

const RAW: SendOptions = { isRaw: true };

/** One driver pool, used until it loses a connection. */
interface Generation {
  readonly driver: Driver;
  readonly deadline: QueryDeadline | null;
  /** Opens every connection if that has not happened yet. */
  readonly opened: () => Promise<unknown>;
  /** The driver's numbers of the lost connections. */
  readonly lost: ReadonlySet<number>;
}

/**
 * A driver pool that is replaced whenever it loses a connection or a statement, including BEGIN and COMMIT, exceeds its deadline.
 * The driver (postgres.js 3.4) never settles a query submitted between a connection's `error` and `close`, and its unwritten bytes keep
 * the connection from being reopened. Ending the old pool settles everything it still has.
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

  const pool: Pool = {
    settings,
    reserve,
    async begin<T>(...given: BeginArguments<T>) {
      const [mode, work] = given.length === 1 ? ['', given[0]] : given;
      return await runTransaction(reserve, () => `BEGIN ${mode}`, work);
    },
    together: (work) => runTogether(pool, () => `BEGIN; ${SET_TOGETHER}`, work),
    run: (text, parameters, options) =>
      sendOn(current.driver, current.deadline, text, parameters, undefined, options?.isRaw ? RAW : undefined),
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
      // The driver never settles a COPY whose connection is lost after its last line.
      await guard(deadline, () => pipeline([lines], stream));
    },
    async end(options) {
      isEnded = true;
      await Promise.all([current.driver.end(options), ...leaving]);
    },
  };
  return pool;
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
  const response = () => guard(deadline, () => query);
  const result = await (signal === undefined ? response() : untilAborted(signal, query, response));
  releaseParameters(query);
  return result;
}

/**
 * A reserved connection. Once lost, it sends nothing and is not released: the driver (postgres.js 3.4) would write to a closed socket, and
 * that error, which no caller can catch, would end the process.
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
    run: (text, parameters, { signal, isRaw } = {}) =>
      isLost()
        ? Promise.reject(new ConnectionLostError())
        : sendOn(reserved, deadline, text, parameters, signal, isRaw ? { ...options, ...RAW } : options),
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
 * Sends as many concurrent statements as there are connections, so that each statement opens one. The driver (postgres.js 3.4, with
 * `fetch_types` off) never returns a connection from `reserve` that it had to open for it.
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
      .then((responses) => settings?.note(responses.flat()))
      .catch((error: unknown) => {
        opening = null;
        throw error;
      });
    return opening;
  };
}
