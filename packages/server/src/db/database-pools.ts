import { type DatabaseOptions, type DatabaseTarget, openDatabase, type Pool } from './client.ts';
import { CONNECTIONS } from './connection-counts.ts';
import { ping } from './queries/maintenance.ts';
import type { SessionOptions } from './session-settings.ts';

/** The pools of one process. Each is for work that must not wait for another kind of work. */
export interface DatabasePools {
  /** Work that callers wait for and that is not bound to one account: authentication, acceptance, names that accounts compete for. */
  readonly api: Pool;
  /** Work that callers wait for, each transaction bound to the caller's account. */
  readonly accounts: Pool;
  /** Work that no caller waits for: jobs, the mailbox of the capturing transport, and the rare statements of delivery. */
  readonly work: Pool;
  /** Claims, contents and outcomes of deliveries: a few large statements, which `renewPlans` must plan again every few seconds. */
  readonly deliveries: Pool;
  /** The same for webhook events: claims and attempts. Separate, so that mail does not wait for a claim of a thousand events. */
  readonly webhooks: Pool;
  /** Searches and exports, bound to the caller's account. A slow one delays only other searches and exports. */
  readonly reads: Pool;
  /**
   * Acceptance of single sends, one batch after another on one connection: two connections would wait for the same quota row and halve the
   * batches.
   */
  readonly sends: Pool;
  readonly batches: Pool;
  /** Acceptance of sends with files, whose writes may take seconds. */
  readonly files: Pool;
  /**
   * The rate limits of keys, which every request waits for, and the recipients of SMTP. One statement at a time serves all requests that
   * arrived in the meantime.
   */
  readonly rates: Pool;
  /** Ends all pools; running queries have a moment to finish. */
  end(): Promise<void>;
}

/** Connections of the pools that the accept queue writes with. */
export interface AcceptConnections {
  readonly singles: number;
  readonly batches: number;
  readonly files: number;
}

/** A caller gets a response within two seconds, even if the database does not respond. */
const API_DEADLINE_MS = 1_500;
/** Longer than the server's own statement timeout: if that does not respond either, the database is unreachable. */
const WORK_DEADLINE_MS = 35_000;
const READS_STATEMENT_MS = 8_000;
const READS_DEADLINE_MS = 10_000;
/** The largest file takes half a second on an idle machine. */
const FILES_DEADLINE_MS = 10_000;
const END_SECONDS = 2;

/** The options of each pool, shared with the check so that it opens the same kind of connection. */
const POOLS = {
  api: { applicationName: 'postrider-api', deadlineMs: API_DEADLINE_MS },
  accounts: { applicationName: 'postrider-accounts', forAccounts: true, deadlineMs: API_DEADLINE_MS },
  work: { applicationName: 'postrider-worker', deadlineMs: WORK_DEADLINE_MS },
  deliveries: { applicationName: 'postrider-worker', keepPlans: true, memoize: false, deadlineMs: WORK_DEADLINE_MS },
  webhooks: { applicationName: 'postrider-worker', keepPlans: true, deadlineMs: WORK_DEADLINE_MS },
  reads: {
    applicationName: 'postrider-reads',
    forAccounts: true,
    statementTimeoutMs: READS_STATEMENT_MS,
    deadlineMs: READS_DEADLINE_MS,
  },
  sends: { applicationName: 'postrider-sends', keepPlans: true, deadlineMs: API_DEADLINE_MS },
  batches: { applicationName: 'postrider-batches', keepPlans: true, deadlineMs: API_DEADLINE_MS },
  files: { applicationName: 'postrider-files', keepPlans: true, deadlineMs: FILES_DEADLINE_MS },
  // A database crash loses at most the last half second of requests, which is only a moment's worth of the limit.
  rates: { applicationName: 'postrider-rates', keepPlans: true, durable: false, deadlineMs: API_DEADLINE_MS },
  log: { applicationName: 'postrider-log', deadlineMs: WORK_DEADLINE_MS },
} as const satisfies Record<string, Omit<DatabaseOptions, 'target' | 'maxConnections'>>;

type PoolName = keyof typeof POOLS;

/** Kinds of connections that differ in their startup parameters. */
const CHECKED: readonly PoolName[] = ['api', 'accounts', 'reads', 'sends', 'rates'];

/** One connection of a kind that a running server uses. */
export interface SampleConnection {
  readonly kind: string;
  readonly isBound: boolean;
  readonly asked: SessionOptions;
  readonly sql: Pool;
}

/** Opens one connection of each kind that a server uses, runs `work` with all of them, and closes them. */
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

/** Opens the pools; they connect on their first query. */
export function openDatabasePools(target: DatabaseTarget, connections: AcceptConnections): DatabasePools {
  const open = (name: PoolName, maxConnections: number, probe?: () => Promise<unknown>) =>
    openDatabase({ target, maxConnections, ...POOLS[name], ...(probe === undefined ? {} : { probe }) });
  const api = open('api', CONNECTIONS.api);
  const accounts = open('accounts', CONNECTIONS.accounts);
  const work = open('work', CONNECTIONS.work);
  const deliveries = open('deliveries', CONNECTIONS.deliveries);
  const webhooks = open('webhooks', CONNECTIONS.webhooks);
  const reads = open('reads', CONNECTIONS.reads, () => ping(api));
  const sends = open('sends', connections.singles);
  const batches = open('batches', connections.batches);
  const files = open('files', connections.files, () => ping(api));
  const rates = open('rates', CONNECTIONS.rates);
  const pools = [api, accounts, work, deliveries, webhooks, reads, sends, batches, files, rates];
  return {
    ...{ api, accounts, work, deliveries, webhooks, reads, sends, batches, files, rates },
    async end() {
      await Promise.all(pools.map((pool) => pool.end({ timeout: END_SECONDS })));
    },
  };
}

/**
 * The pool of the request log. It has its own connection, because the driver sends other queries on a connection that runs COPY, which
 * breaks both.
 */
export function openLogPool(target: DatabaseTarget): Pool {
  return openDatabase({ target, maxConnections: CONNECTIONS.log, ...POOLS.log });
}
