import type { Query } from '../client.ts';

export async function readServerVersion(query: Query): Promise<string> {
  const [row] = await query<{ version: string }[]>`SELECT current_setting('server_version') AS version`;
  return row?.version ?? 'of an unknown version';
}

/** The database's own time, not that of the transaction. */
export async function readDatabaseTime(query: Query): Promise<Date> {
  const [row] = await query<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
  if (row === undefined) throw new Error('The database did not say what time it is.');
  return row.now;
}

export interface QueueFacts {
  /** Jobs that no worker has taken although their time has come. */
  readonly dueJobs: number;
  readonly oldestDueJobAt: Date | null;
  /** Jobs that will not be tried again. */
  readonly failedJobs: number;
  readonly lastFailure: { readonly task: string; readonly error: string | null } | null;
  readonly liveWorkers: number;
  /** Workers that ended without saying so, and still hold jobs. */
  readonly deadWorkers: number;
  readonly oldestDueDeliveryAt: Date | null;
}

/** Null where the queue's tables are not there. @param silentBefore workers not heard of since then are dead. */
export async function readQueueFacts(query: Query, now: Date, silentBefore: Date): Promise<QueueFacts | null> {
  const [present] = await query<{ yes: boolean }[]>`SELECT to_regclass('graphile_worker.jobs') IS NOT NULL AS yes`;
  if (present?.yes !== true) return null;
  const [jobs] = await query<Pick<QueueFacts, 'dueJobs' | 'oldestDueJobAt' | 'failedJobs'>[]>`
    SELECT count(*) FILTER (WHERE is_due)::int AS "dueJobs", min(run_at) FILTER (WHERE is_due) AS "oldestDueJobAt",
      count(*) FILTER (WHERE is_over)::int AS "failedJobs"
    FROM (SELECT run_at, run_at <= ${now} AND locked_at IS NULL AND attempts < max_attempts AS is_due,
            attempts >= max_attempts AND locked_at IS NULL AS is_over FROM graphile_worker.jobs) AS j`;
  const [lastFailure] = await query<{ task: string; error: string | null }[]>`
    SELECT task_identifier AS task, last_error AS error FROM graphile_worker.jobs
    WHERE attempts >= max_attempts AND locked_at IS NULL ORDER BY updated_at DESC LIMIT 1`;
  const [workers] = await query<Pick<QueueFacts, 'liveWorkers' | 'deadWorkers'>[]>`
    SELECT (SELECT count(*) FROM worker_heartbeats WHERE seen_at >= ${silentBefore})::int AS "liveWorkers",
      (SELECT count(DISTINCT locked_by) FROM graphile_worker.jobs j WHERE locked_at < ${silentBefore}
        AND NOT EXISTS (SELECT 1 FROM worker_heartbeats h WHERE h.worker_id = j.locked_by AND h.seen_at >= ${silentBefore}))::int
        AS "deadWorkers"`;
  const [mail] = await query<{ oldest: Date | null }[]>`
    SELECT min(next_at) AS oldest FROM deliveries WHERE next_at <= ${now} AND lease_id IS NULL`;
  return {
    dueJobs: jobs?.dueJobs ?? 0,
    oldestDueJobAt: jobs?.oldestDueJobAt ?? null,
    failedJobs: jobs?.failedJobs ?? 0,
    lastFailure: lastFailure ?? null,
    liveWorkers: workers?.liveWorkers ?? 0,
    deadWorkers: workers?.deadWorkers ?? 0,
    oldestDueDeliveryAt: mail?.oldest ?? null,
  };
}

export interface SealedKey {
  readonly domain: string;
  /** An envelope of the secret box. */
  readonly privateKey: Uint8Array;
}

/** The newest DKIM keys that are kept, as they are kept. */
export async function readSealedKeys(query: Query, limit: number): Promise<readonly SealedKey[]> {
  return await query<SealedKey[]>`
    SELECT d.name AS domain, k.private_key AS "privateKey"
    FROM dkim_keys k JOIN sending_domains d ON d.account_id = k.account_id AND d.id = k.domain_id
    WHERE k.private_key IS NOT NULL ORDER BY k.id DESC LIMIT ${limit}`;
}
