import postgres from 'postgres';
import { ARRAY_TYPES } from './array-types.ts';
import { createDatabasePool, type Pool } from './database-pool.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { createPrimaryHost, type FoundHost, openPrimarySocket, type PrimaryHost } from './primary-host.ts';
import { createTransactionSettings, startParametersOf } from './session-settings.ts';

export type { Pool } from './database-pool.ts';
export type { AccountSql, Query, Sql, Transaction } from './query.ts';

export interface DatabaseOptions {
  /** A `postgres://` URL, several servers of which one is the primary, or the embedded server's socket. */
  readonly target: DatabaseTarget;
  /** Few connections win: they write whole batches, and more of them only wait for one another. */
  readonly maxConnections: number;
  readonly applicationName: string;
  /**
   * For pools that run the same few large statements over and over: plans are kept from one execution to the next, until `renewPlans`.
   * Everywhere else a statement is planned each time: a plan that was made while a table was empty walks through all of an account's rows
   * for each row it looks for, and one statement that should take milliseconds was seen to run for minutes.
   */
  readonly keepPlans?: boolean;
  /**
   * How long one statement may be without an answer before the pool gives the database up for silent: what is under way then fails, and the
   * next statement goes over a new connection. Without it a connection that nothing comes through any more is waited on until the system
   * gives it up, which takes minutes.
   */
  readonly deadlineMs?: number;
  /** For a deadline longer than a caller may wait: whether the database answers at all. As of QueryDeadlineOptions. */
  readonly probe?: () => Promise<unknown>;
  /** How long the server works on one statement before it gives it up; 30 s unless given. */
  readonly statementTimeoutMs?: number;
  /** False where what was committed last may be lost by a crash of the database: commits then wait for no disk. */
  readonly durable?: false;
  /**
   * For work on behalf of one account: as the role that sees an account's rows only where `app.account_id` names it, on connections that are
   * reserved for a transaction at a time. `bindAccount` sets that role in every transaction.
   */
  readonly forAccounts?: true;
  readonly onNotice?: (message: string) => void;
}

export type DatabaseTarget =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'cluster'; readonly primary: PrimaryHost }
  | { readonly kind: 'socket'; readonly host: string; readonly database: string; readonly user: string };

/** A `cluster` where several servers are named, or one has to be of a kind: its connections follow the one that takes writes. */
export function toDatabaseTarget(databaseUrl: string): DatabaseTarget {
  const verdict = parseDatabaseUrl(databaseUrl);
  if (!verdict.ok) throw new Error(`DATABASE_URL ${verdict.message}`);
  const { url } = verdict;
  const isOne = url.hosts.length === 1 && url.sessionAttributes === null;
  return isOne ? { kind: 'url', url: databaseUrl } : { kind: 'cluster', primary: createPrimaryHost(url) };
}

/** Opens a pool; nothing connects before the first query. */
export function openDatabase(options: DatabaseOptions): Pool {
  const settings = {
    max: options.maxConnections,
    connect_timeout: 2, // Seconds: a database that is down must become a 503 within 2 s.
    // Connections stay, so that one that closes is one that was lost.
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

/** A pool that counts as lost as soon as another server than its own is the primary. */
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
  return postgres(primary.url, { ...settings, onclose, socket } as object); // The types do not know `socket`.
}

/** Lets a pool that keeps its plans make them again, by the tables' present sizes. `connections`: as many as the pool has. */
export async function renewPlans(pool: Pool, connections: number): Promise<void> {
  // Reserved at the same time, so that each is another one.
  const reserved = await Promise.all(Array.from({ length: connections }, () => pool.reserve()));
  try {
    await Promise.all(reserved.map((connection) => connection.run('DISCARD PLANS')));
  } finally {
    for (const connection of reserved) connection.release();
  }
}

/** How graphile-worker's own `pg` pool reaches the same database. */
export function toConnectionString(target: DatabaseTarget): string {
  if (target.kind === 'url') return target.url;
  if (target.kind === 'cluster') return target.primary.url;
  const host = encodeURIComponent(target.host);
  return `postgres://${encodeURIComponent(target.user)}@/${encodeURIComponent(target.database)}?host=${host}`;
}
