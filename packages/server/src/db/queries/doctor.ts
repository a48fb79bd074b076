import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, desc, eq, sql } from '../drizzle.ts';
import { nullable, pg, present, returning } from '../result.ts';
import { deliveries } from '../schema/deliveries.ts';
import { dkimKeys, sendingDomains } from '../schema/domains.ts';
import { workerHeartbeats } from '../schema/installation.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const readVersion = defineStatement({}, () =>
  returning({ version: pg.text }, sql`SELECT current_setting('server_version') AS version`),
);

export async function readServerVersion(query: Query): Promise<string> {
  const [row] = await readVersion(query, {});
  return row?.version ?? 'of an unknown version';
}

const readTime = defineStatement({}, () => returning({ now: pg.timestamptz }, sql`SELECT clock_timestamp() AS now`));

/** The database's current time, not the start of the transaction. */
export async function readDatabaseTime(query: Query): Promise<Date> {
  const [row] = await readTime(query, {});
  if (row === undefined) throw new Error('The database did not return its time.');
  return row.now;
}

const hasQueue = defineStatement({}, () =>
  returning({ yes: pg.bool }, sql`SELECT to_regclass('graphile_worker.jobs') IS NOT NULL AS yes`),
);

const readJobs = defineStatement({ now: value<Date>() }, ({ now }) =>
  returning(
    {
      /** Jobs that are due but that no worker has started. */
      dueJobs: pg.int4,
      oldestDueJobAt: nullable(pg.timestamptz),
      /** Jobs that will not be retried. */
      failedJobs: pg.int4,
    },
    sql`
      SELECT count(*) FILTER (WHERE is_due)::int AS "dueJobs", min(run_at) FILTER (WHERE is_due) AS "oldestDueJobAt",
        count(*) FILTER (WHERE is_over)::int AS "failedJobs"
      FROM (SELECT run_at, run_at <= ${now} AND locked_at IS NULL AND attempts < max_attempts AS is_due,
              attempts >= max_attempts AND locked_at IS NULL AS is_over FROM graphile_worker.jobs) AS j`,
  ),
);

const readFailure = defineStatement({}, () =>
  returning(
    { task: present(pg.text), error: nullable(pg.text) },
    sql`
      SELECT task_identifier AS task, last_error AS error FROM graphile_worker.jobs
      WHERE attempts >= max_attempts AND locked_at IS NULL ORDER BY updated_at DESC LIMIT 1`,
  ),
);

const readWorkers = defineStatement({ silentBefore: workerHeartbeats.seenAt }, ({ silentBefore }) =>
  returning(
    {
      liveWorkers: pg.int4,
      /** Workers that ended without shutting down and still have jobs locked. */
      deadWorkers: pg.int4,
    },
    sql`
      SELECT (SELECT count(*) FROM worker_heartbeats WHERE seen_at >= ${silentBefore})::int AS "liveWorkers",
        (SELECT count(DISTINCT locked_by) FROM graphile_worker.jobs j WHERE locked_at < ${silentBefore}
          AND NOT EXISTS (SELECT 1 FROM worker_heartbeats h WHERE h.worker_id = j.locked_by AND h.seen_at >= ${silentBefore}))::int
          AS "deadWorkers"`,
  ),
);

const readOldestMail = defineStatement({ now: deliveries.nextAt }, ({ now }) =>
  returning(
    { oldestDueDeliveryAt: nullable(pg.timestamptz) },
    sql`SELECT min(next_at) AS "oldestDueDeliveryAt" FROM deliveries WHERE next_at <= ${now} AND lease_id IS NULL`,
  ),
);

export type QueueFacts = RowOf<typeof readJobs> &
  RowOf<typeof readWorkers> &
  RowOf<typeof readOldestMail> & { readonly lastFailure: RowOf<typeof readFailure> | null };

/**
 * Returns null if the queue's tables do not exist.
 * @param silentBefore workers without a heartbeat since then are dead
 */
export async function readQueueFacts(query: Query, now: Date, silentBefore: Date): Promise<QueueFacts | null> {
  const [queue] = await hasQueue(query, {});
  if (queue?.yes !== true) return null;
  const [jobs = { dueJobs: 0, oldestDueJobAt: null, failedJobs: 0 }] = await readJobs(query, { now });
  const [lastFailure = null] = await readFailure(query, {});
  const [workers = { liveWorkers: 0, deadWorkers: 0 }] = await readWorkers(query, { silentBefore });
  const [mail = { oldestDueDeliveryAt: null }] = await readOldestMail(query, { now });
  return { ...jobs, ...workers, ...mail, lastFailure };
}

const readSealed = defineStatement({ limit: value<number>() }, ({ limit }) =>
  builder
    .select(
      named({
        domain: sendingDomains.name,
        /** Encrypted by the secret box. */
        privateKey: sql<Buffer>`${dkimKeys.privateKey}`,
      }),
    )
    .from(dkimKeys)
    .innerJoin(
      sendingDomains,
      and(eq(sendingDomains.accountId, dkimKeys.accountId), eq(sendingDomains.id, dkimKeys.domainId)),
    )
    .where(sql`${dkimKeys.privateKey} IS NOT NULL`)
    .orderBy(desc(dkimKeys.id))
    .limit(limit),
);

export type SealedKey = RowOf<typeof readSealed>;

/** The newest stored DKIM keys, still encrypted. */
export async function readSealedKeys(query: Query, limit: number): Promise<readonly SealedKey[]> {
  return await readSealed(query, { limit });
}
