import { type DatabaseOptions, type DatabaseTarget, openDatabase, type Pool } from './client.ts';
import { ping } from './queries/maintenance.ts';
import type { SessionOptions } from './session-settings.ts';

/** The pools of one process, each for work that must not wait for another kind. */
export interface DatabasePools {
  /** What callers wait for, where it is no single account's: who they are, what was accepted, names that accounts contend for. */
  readonly api: Pool;
  /** What callers wait for, each transaction bound to the caller's account. */
  readonly accounts: Pool;
  /** What no caller waits for: delivery, its jobs, and the mailbox of the transport that captures. */
  readonly work: Pool;
  /** Searches and exports, bound to the caller's account: one that takes long holds up nobody but others of its kind. */
  readonly reads: Pool;
  /**
   * Acceptance of single sends, written one group behind the other on one connection: two would wait for the same quota row, and halve the
   * groups.
   */
  readonly sends: Pool;
  readonly batches: Pool;
  /** Acceptance of sends with files, which may take seconds to be written. */
  readonly files: Pool;
  /** The rate limits of keys, which every request waits for: one statement at a time, for all that came meanwhile. */
  readonly rates: Pool;
  /** Ends all of them; queries under way have a moment. */
  end(): Promise<void>;
}

/** Connections of the pools that the accept queue writes with. */
export interface AcceptConnections {
  readonly singles: number;
  readonly batches: number;
  readonly files: number;
}

const API_CONNECTIONS = 4;
/** A connection belongs to one transaction at a time, and those that wait for a lock must leave others free. */
const ACCOUNT_CONNECTIONS = 6;
/** Whoever calls gets an answer within two seconds, also from a database that gives none. */
const API_DEADLINE_MS = 1_500;
/** Longer than the server's own limit for a statement: where that says nothing either, nobody is there. */
const WORK_DEADLINE_MS = 35_000;
const READS_CONNECTIONS = 3;
const READS_STATEMENT_MS = 8_000;
const READS_DEADLINE_MS = 10_000;
const DELIVERY_CONNECTIONS = 4;
/** The largest file takes half a second on a machine with nothing else to do. */
const FILES_DEADLINE_MS = 10_000;
const END_SECONDS = 2;

/** What each pool is opened with, so that a check opens the very same kind of connection. */
const POOLS = {
  api: { applicationName: 'postrider-api', deadlineMs: API_DEADLINE_MS },
  accounts: { applicationName: 'postrider-accounts', forAccounts: true, deadlineMs: API_DEADLINE_MS },
  work: { applicationName: 'postrider-worker', deadlineMs: WORK_DEADLINE_MS },
  reads: {
    applicationName: 'postrider-reads',
    forAccounts: true,
    statementTimeoutMs: READS_STATEMENT_MS,
    deadlineMs: READS_DEADLINE_MS,
  },
  sends: { applicationName: 'postrider-sends', keepPlans: true, deadlineMs: API_DEADLINE_MS },
  batches: { applicationName: 'postrider-batches', keepPlans: true, deadlineMs: API_DEADLINE_MS },
  files: { applicationName: 'postrider-files', keepPlans: true, deadlineMs: FILES_DEADLINE_MS },
  // A crash of the database forgets the last half second of requests at most, which is no more than a moment's allowance.
  rates: { applicationName: 'postrider-rates', keepPlans: true, durable: false, deadlineMs: API_DEADLINE_MS },
  log: { applicationName: 'postrider-log', deadlineMs: WORK_DEADLINE_MS },
} as const satisfies Record<string, Omit<DatabaseOptions, 'target' | 'maxConnections'>>;

type PoolName = keyof typeof POOLS;

/** Kinds of connections that differ in what they ask for when they start. */
const CHECKED: readonly PoolName[] = ['api', 'accounts', 'reads', 'sends', 'rates'];

/** One connection of a kind that a running server has. */
export interface SampleConnection {
  readonly kind: string;
  readonly isBound: boolean;
  readonly asked: SessionOptions;
  readonly sql: Pool;
}

/** Opens one connection of each kind that a server uses, works on all of them, and closes them. */
export async function withSampleConnections<T>(
  target: DatabaseTarget,
  work: (samples: readonly SampleConnection[]) => Promise<T>,
): Promise<T> {
  const samples = CHECKED.map((kind): SampleConnection => {
    const asked: SessionOptions = POOLS[kind];
    const sql = openDatabase({ target, maxConnections: 1, ...POOLS[kind], deadlineMs: WORK_DEADLINE_MS });
    return { kind, isBound: asked.forAccounts === true, asked, sql };
  });
  try {
    return await work(samples);
  } finally {
    await Promise.all(samples.map(({ sql }) => sql.end({ timeout: END_SECONDS })));
  }
}

/** Opens the pools; nothing connects before the first query. */
export function openDatabasePools(target: DatabaseTarget, connections: AcceptConnections): DatabasePools {
  const open = (name: PoolName, maxConnections: number, probe?: () => Promise<unknown>) =>
    openDatabase({ target, maxConnections, ...POOLS[name], ...(probe === undefined ? {} : { probe }) });
  const api = open('api', API_CONNECTIONS);
  const accounts = open('accounts', ACCOUNT_CONNECTIONS);
  const work = open('work', DELIVERY_CONNECTIONS);
  const reads = open('reads', READS_CONNECTIONS, () => ping(api));
  const sends = open('sends', connections.singles);
  const batches = open('batches', connections.batches);
  const files = open('files', connections.files, () => ping(api));
  const rates = open('rates', 1);
  const pools = [api, accounts, work, reads, sends, batches, files, rates];
  return {
    ...{ api, accounts, work, reads, sends, batches, files, rates },
    async end() {
      await Promise.all(pools.map((pool) => pool.end({ timeout: END_SECONDS })));
    },
  };
}

/** The log of requests. A connection of its own: the driver sends other queries down a connection that copies, which breaks both. */
export function openLogPool(target: DatabaseTarget): Pool {
  return openDatabase({ target, maxConnections: 1, ...POOLS.log });
}
