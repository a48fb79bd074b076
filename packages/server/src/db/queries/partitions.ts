import { setTimeout as pause } from 'node:timers/promises';
import type { Query, Sql, Transaction } from '../client.ts';
import { classifyDatabaseError } from '../database-errors.ts';
import { sql } from '../drizzle.ts';
import { executing, pg, returning } from '../result.ts';
import { messages } from '../schema/messages.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

/**
 * Creates the partitions of the months around `now`: the previous one, for clocks that lag, the current one and the next two. Finds every
 * table that has a default partition `<table>_other` in the catalog, so that a new table needs nothing else.
 */
export async function ensurePartitions(pool: Sql, now: Date): Promise<void> {
  for (const month of await readMissingMonths(pool, { now }))
    await changePartitions(pool, (tx) => makePartition(tx, month));
}

export interface PartitionLimits {
  /** Bodies and files of messages older than this are deleted. */
  readonly bodiesBefore: Date;
  /** All data of messages older than this is deleted. */
  readonly messagesBefore: Date;
  /** Events and their delivery attempts older than this are deleted. */
  readonly eventsBefore?: Date;
  readonly now: Date;
  /** The statuses of unfinished messages; a month with one of them is kept. */
  readonly openStatuses: readonly string[];
}

/** The tables with monthly partitions, by retention period. */
const BODY_TABLES = ['message_bodies', 'message_attachments'];
const LOG_TABLES = [
  'messages',
  'message_recipients',
  'message_events',
  'message_tracking',
  'message_search',
  'message_counts',
];
const EVENT_TABLES = ['webhook_events', 'webhook_attempts'];

/**
 * Drops the months that have passed their limit as whole partitions. That takes a moment; deleting their rows would take minutes and leave
 * dead rows to vacuum. A month with a message that is unfinished, such as one still waiting for delivery, stays, and its expired rows are
 * deleted one by one. Returns the names of the dropped tables.
 */
export async function dropPastPartitions(pool: Sql, limits: PartitionLimits): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const month of await findPastMonths(pool, limits)) {
    await changePartitions(pool, async (tx) => {
      if (await holdsOpenMessage(tx, month, limits.openStatuses)) return;
      for (const table of month.tables) await tx.run(`DROP TABLE ${table}`);
      dropped.push(...month.tables);
    });
  }
  return dropped;
}

const LOCK_TIMEOUT_MS = 500;
const ATTEMPTS = 5;

const takePartitionLock = defineStatement({}, () =>
  executing(sql`SELECT FROM pg_advisory_xact_lock(hashtext('postrider.partitions'))`),
);

/**
 * Changing partitions locks tables that every request uses, and requests queue behind a waiting lock. So the wait is short, and the change
 * is retried.
 */
async function changePartitions(pool: Sql, change: (transaction: Transaction) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await pool.begin(async (tx) => {
        await takePartitionLock(tx, {});
        await tx.run(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await change(tx);
      });
      return;
    } catch (error) {
      if (classifyDatabaseError(error) !== 'conflict' || attempt === ATTEMPTS) throw error;
      await pause(LOCK_TIMEOUT_MS);
    }
  }
}

const readMissingMonths = defineStatement({ now: value<Date>() }, ({ now }) =>
  returning(
    {
      name: pg.text,
      /** Table names as the database returns them, quoted if necessary. */
      parent: pg.text,
      partition: pg.text,
      other: pg.text,
      key: pg.text,
      lower: pg.uuid,
      upper: pg.uuid,
    },
    sql`
    SELECT t.relname::text AS name, t.oid::regclass::text AS parent, quote_ident(month.name) AS partition, other.oid::regclass::text AS other,
      quote_ident(a.attname) AS key, uuid_v7_lower_bound(month.at AT TIME ZONE 'UTC') AS lower,
      uuid_v7_lower_bound((month.at + interval '1 month') AT TIME ZONE 'UTC') AS upper
    FROM pg_class t
    JOIN pg_partitioned_table p ON p.partrelid = t.oid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = p.partattrs[0]
    JOIN pg_class other ON other.oid = p.partdefid AND other.relname = t.relname || '_other'
    CROSS JOIN LATERAL (
      SELECT at, t.relname || '_' || to_char(at, 'YYYY_MM') AS name
      FROM generate_series(-1, 2) AS n, date_trunc('month', ${now}::timestamptz AT TIME ZONE 'UTC') AS this,
        LATERAL (SELECT this + n * interval '1 month' AS at) AS months) AS month
    WHERE pg_table_is_visible(t.oid) AND to_regclass(quote_ident(month.name)) IS NULL
    ORDER BY t.relname, month.name`,
  ),
);

type MissingMonth = RowOf<typeof readMissingMonths>;

/**
 * Keeps bodies of usual size uncompressed in the row: compressing them costs as much as the rest of their insert. Leaves room on the page of
 * each recipient for its second version, so that the index gets no second entry.
 */
const STORAGE: Readonly<Record<string, string>> = {
  message_bodies: 'WITH (toast_tuple_target = 4080)',
  message_recipients: 'WITH (fillfactor = 50)',
};

const isTaken = defineStatement({ partition: value<string>() }, ({ partition }) =>
  executing(sql`SELECT FROM pg_class WHERE quote_ident(relname) = ${partition} AND pg_table_is_visible(oid)`),
);

const protect = defineStatement({ partition: value<string>() }, ({ partition }) =>
  executing(sql`SELECT FROM protect_account_table(${partition}::regclass)`),
);

/**
 * Attached rather than created in place, which takes a weaker lock on the parent. It also allows moving rows that went to the default
 * partition because this one was not created in time; a partition cannot be created in place while the default has such rows.
 */
async function makePartition(tx: Transaction, month: MissingMonth): Promise<void> {
  const { name, parent, partition, other, key, lower, upper } = month;
  // Another process may have created it while this one waited. Does not use to_regclass, which reads the connection's catalog cache:
  // waiting for an advisory lock does not refresh that cache, but reading a table does.
  if ((await isTaken(tx, { partition })) > 0) return;
  const within = `${key} >= '${lower}' AND ${key} < '${upper}'`;
  await tx.run(`CREATE TABLE ${partition} (LIKE ${parent} INCLUDING ALL) ${STORAGE[name] ?? ''}`);
  await tx.run(`LOCK TABLE ${other} IN ACCESS EXCLUSIVE MODE`);
  await tx.run(`
    WITH moved AS (DELETE FROM ${other} WHERE ${within} RETURNING *) INSERT INTO ${partition} SELECT * FROM moved`);
  await tx.run(`ALTER TABLE ${parent} ATTACH PARTITION ${partition} FOR VALUES FROM ('${lower}') TO ('${upper}')`);
  await protect(tx, { partition });
}

const readPastMonths = defineStatement(
  {
    tables: value<readonly string[]>(),
    bodyTables: value<readonly string[]>(),
    eventTables: value<readonly string[]>(),
    bodiesBefore: value<Date>(),
    messagesBefore: value<Date>(),
    eventsBefore: value<Date>(),
    now: value<Date>(),
  },
  ({ tables, bodyTables, eventTables, bodiesBefore, messagesBefore, eventsBefore, now }) =>
    returning(
      { tables: pg.textArray, lower: pg.uuid, upper: pg.uuid },
      sql`
    WITH bounded AS (
      SELECT t.relname AS parent, c.oid::regclass::text AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
      FROM pg_inherits i JOIN pg_class t ON t.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
      WHERE t.relname = ANY (${tables}::text[]) AND pg_table_is_visible(t.oid)
    ),
    months AS (
      SELECT parent, name, substring(bound FROM 'FROM \\(''([0-9a-f-]{36})''\\)')::uuid AS lower,
        substring(bound FROM 'TO \\(''([0-9a-f-]{36})''\\)')::uuid AS upper
      FROM bounded WHERE bound <> 'DEFAULT'
    )
    SELECT array_agg(name ORDER BY name) AS tables, lower, upper FROM months
    WHERE upper <= uuid_v7_lower_bound(date_trunc('month', ${now}::timestamptz AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '1 month')
      AND upper <= uuid_v7_lower_bound(CASE WHEN parent = ANY (${bodyTables}::text[]) THEN ${bodiesBefore}::timestamptz
        WHEN parent = ANY (${eventTables}::text[]) THEN ${eventsBefore}::timestamptz ELSE ${messagesBefore}::timestamptz END)
    GROUP BY lower, upper ORDER BY lower`,
    ),
);

type PastMonth = RowOf<typeof readPastMonths>;

/** The months past their limit, with their tables. Leaves out months that `ensurePartitions` would create again. */
async function findPastMonths(query: Query, limits: PartitionLimits): Promise<readonly PastMonth[]> {
  const { bodiesBefore, messagesBefore, eventsBefore = messagesBefore, now } = limits;
  return await readPastMonths(query, {
    ...{ bodiesBefore, messagesBefore, eventsBefore, now },
    tables: [...BODY_TABLES, ...LOG_TABLES, ...EVENT_TABLES],
    ...{ bodyTables: BODY_TABLES, eventTables: EVENT_TABLES },
  });
}

const readOpen = defineStatement(
  { lower: messages.id, upper: messages.id, openStatuses: value<readonly string[]>() },
  ({ lower, upper, openStatuses }) =>
    returning(
      { open: pg.bool },
      sql`
        SELECT EXISTS (SELECT FROM deliveries WHERE message_id >= ${lower} AND message_id < ${upper})
          OR EXISTS (SELECT FROM messages WHERE id >= ${lower} AND id < ${upper} AND status = ANY (${openStatuses}::text[]))
          AS open`,
    ),
);

async function holdsOpenMessage(
  query: Query,
  { lower, upper }: PastMonth,
  openStatuses: readonly string[],
): Promise<boolean> {
  const [row] = await readOpen(query, { lower, upper, openStatuses });
  return row?.open !== false;
}
