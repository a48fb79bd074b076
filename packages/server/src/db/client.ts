import postgres from 'postgres';
import { ARRAY_TYPES } from './array-types.ts';
import { createDatabasePool, type Pool } from './database-pool.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { createPrimaryHost, type FoundHost, openPrimarySocket, type PrimaryHost } from './primary-host.ts';
import { createTransactionSettings, startParametersOf } from './session-settings.ts';

export type { Pool } from './database-pool.ts';
export type { AccountSql, Query, Sql, Transaction } from './query.ts';

export interface DatabaseOptions {
  /** A `postgres://` URL, a cluster of servers with one primary, or the embedded server's socket. */
  readonly target: DatabaseTarget;
  /** Keep this low: each connection writes whole batches, and more connections only wait for each other's locks. */
  readonly maxConnections: number;
  readonly applicationName: string;
  /**
   * For pools that run the same few large statements repeatedly: generic plans are reused until `renewPlans`. In all other pools each
   * execution is planned again, because a plan made while a table was empty scans all of an account's rows for each row it looks up; one
   * such statement ran for minutes instead of milliseconds.
   */
  readonly keepPlans?: boolean;
  /** False for pools whose statements look up each row once, so that PostgreSQL does not keep the rows for further lookups. */
  readonly memoize?: false;
  /**
   * How long a statement may go without a response before the pool treats the database as silent. Statements in progress then fail, and the
   * next statement uses a new connection. Without a deadline, a dead connection blocks until the operating system gives up, which takes
   * minutes.
   */
  readonly deadlineMs?: number;
  /** For a deadline longer than a caller may wait: checks whether the database responds at all. See QueryDeadlineOptions. */
  readonly probe?: () => Promise<unknown>;
  /** The server's `statement_timeout`; 30 s by default. */
  readonly statementTimeoutMs?: number;
  /** False if a database crash may lose the last commits: commits then do not wait for the disk. */
  readonly durable?: false;
  /**
   * For work on behalf of one account. It uses the role that sees an account's rows only if `app.account_id` names it, on connections
   * reserved for one transaction at a time. `bindAccount` sets the role in every transaction.
   */
  readonly forAccounts?: true;
  readonly onNotice?: (message: string) => void;
}

export type DatabaseTarget =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'cluster'; readonly primary: PrimaryHost }
  | { readonly kind: 'socket'; readonly host: string; readonly database: string; readonly user: string };

/**
 * Returns a `cluster` if the URL names several servers or requires a kind of server: its connections follow the server that accepts writes.
 */
export function toDatabaseTarget(databaseUrl: string): DatabaseTarget {
  const verdict = parseDatabaseUrl(databaseUrl);
  if (!verdict.ok) throw new Error(`DATABASE_URL ${verdict.message}`);
  const { url } = verdict;
  const isOne = url.hosts.length === 1 && url.sessionAttributes === null;
  return isOne ? { kind: 'url', url: databaseUrl } : { kind: 'cluster', primary: createPrimaryHost(url) };
}

/** Opens a pool; it connects on the first query. */
export function openDatabase(options: DatabaseOptions): Pool {
  const settings = {
    max: options.maxConnections,
    connect_timeout: 2, // Seconds: a database that is down must become a 503 within 2 s.
    // Idle connections stay open, so that a closed connection means a lost one.
    idle_timeout: 0,
    max_lifetime: null,
    backoff: () => 0.1,
    fetch_types: false,
    types: ARRAY_TYPES,
    connection: { ...startParametersOf(options) },
    onnotice: (notice: postgres.Notice) => options.onNotice?.(notice['message'] ?? ''),
  };
  const { target } = options;
  return createDatabasePool({
    maxConnections: options.maxConnections,
    deadlineMs: options.deadlineMs ?? null,
    ...(options.probe === undefined ? {} : { probe: options.probe }),
    settings: options.forAccounts === true ? createTransactionSettings(options) : null,
    open: (onclose) => {
      if (target.kind === 'url') return postgres(target.url, { ...settings, onclose });
      if (target.kind === 'cluster') return openOnPrimary(target.primary, settings, onclose);
      return postgres({ ...settings, onclose, host: target.host, database: target.database, user: target.user });
    },
  });
}

/** A pool that counts as lost as soon as a different server is the primary. */
function openOnPrimary(primary: PrimaryHost, settings: object, onLost: (connection?: number) => void): postgres.Sql {
  const places = new Set<string>();
  const nameOf = ({ host, port }: FoundHost) => `${host} ${port}`;
  const stop = primary.onMove((to) => {
    if ([...places].some((place) => place !== nameOf(to))) onclose();
  });
  const onclose = (connection?: number) => {
    stop();
    onLost(connection);
  };
  const socket = () => openPrimarySocket(primary, (to) => places.add(nameOf(to)));
  return postgres(primary.url, { ...settings, onclose, socket } as object); // The driver's types lack `socket`.
}

/** Discards the plans of a pool with `keepPlans`, so that it plans for the tables' current sizes. `connections` is the size of the pool. */
async function renewPlans(pool: Pool, connections: number): Promise<void> {
  // Reserved at the same time, so that each is a different connection.
  const attempts = await Promise.allSettled(Array.from({ length: connections }, () => pool.reserve()));
  const reserved = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  try {
    for (const attempt of attempts) if (attempt.status === 'rejected') throw attempt.reason;
    await Promise.all(reserved.map((connection) => connection.run('DISCARD PLANS')));
  } finally {
    for (const connection of reserved) connection.release();
  }
}

/** The connection string of the same database for graphile-worker's own `pg` pool. */
export function toConnectionString(target: DatabaseTarget): string {
  if (target.kind === 'url') return target.url;
  if (target.kind === 'cluster') return target.primary.url;
  const host = encodeURIComponent(target.host);
  return `postgres://${encodeURIComponent(target.user)}@/${encodeURIComponent(target.database)}?host=${host}`;
}

/** Generic plans are renewed at most this often: soon after the tables grow, and rarely enough that planning costs nothing. */
const RENEW_PLANS_MS = 2_000;

/** Returns a function that renews the plans of a pool with `keepPlans` if they are too old. Call it before running statements. */
export function createPlanRenewal(pool: Pool, connections: number): () => Promise<void> {
  let plannedAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const nowMs = performance.now();
    if (nowMs - plannedAtMs <= RENEW_PLANS_MS) return;
    plannedAtMs = nowMs;
    await renewPlans(pool, connections);
  };
}
