import type { Query } from '../client.ts';

/** Makes the partitions of the months around `now`: the last one, for clocks that lag, and the next two. */
export async function ensurePartitions(query: Query, now: Date): Promise<void> {
  await query`
    SELECT ensure_message_partitions(month) FROM generate_series(
      ${now}::timestamptz - interval '1 month', ${now}::timestamptz + interval '2 months', interval '1 month') AS month`;
}

/** Removes what is kept for a limited time only. */
export async function purgeExpired(
  query: Query,
  limits: {
    readonly requestsBefore: Date;
    readonly idempotencyBefore: Date;
    readonly capturedBefore: Date;
    readonly bodiesBefore: Date;
    readonly messagesBefore: Date;
  },
): Promise<void> {
  await query`DELETE FROM request_log WHERE created_at < ${limits.requestsBefore}`;
  await query`DELETE FROM idempotency_keys WHERE created_at < ${limits.idempotencyBefore}`;
  await query`DELETE FROM captured_messages WHERE received_at < ${limits.capturedBefore}`;
  await repeat(() => purgeBodies(query, limits.bodiesBefore));
  await repeat(() => purgeMessages(query, limits.messagesBefore));
}

/** Rows a statement removes at most, so that none runs into its time limit, however much there is. */
const PURGE_ROWS = 5_000;

async function repeat(purge: () => Promise<number>): Promise<void> {
  while ((await purge()) === PURGE_ROWS);
}

/** Removes bodies, save those of messages that still wait to be delivered; answers how many. */
async function purgeBodies(query: Query, before: Date): Promise<number> {
  const rows = await query`
    WITH aged AS MATERIALIZED (
      SELECT b.account_id, b.message_id FROM message_bodies b WHERE b.message_id < uuid_v7_lower_bound(${before})
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.account_id = b.account_id AND d.message_id = b.message_id)
      LIMIT ${PURGE_ROWS})
    DELETE FROM message_bodies b USING aged WHERE b.account_id = aged.account_id AND b.message_id = aged.message_id RETURNING 1`;
  return rows.length;
}

/** Removes messages with all that hangs on them, save those that still wait to be delivered; answers how many. */
async function purgeMessages(query: Query, before: Date): Promise<number> {
  const rows = await query`
    WITH aged AS MATERIALIZED (
      SELECT m.account_id, m.id FROM messages m WHERE m.id < uuid_v7_lower_bound(${before})
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.account_id = m.account_id AND d.message_id = m.id)
      LIMIT ${PURGE_ROWS}
    ), recipients AS (
      DELETE FROM message_recipients r USING aged WHERE r.account_id = aged.account_id AND r.message_id = aged.id
    ), trail AS (
      DELETE FROM message_events e USING aged WHERE e.account_id = aged.account_id AND e.message_id = aged.id
    ), bodies AS (
      DELETE FROM message_bodies b USING aged WHERE b.account_id = aged.account_id AND b.message_id = aged.id
    )
    DELETE FROM messages m USING aged WHERE m.account_id = aged.account_id AND m.id = aged.id RETURNING 1`;
  return rows.length;
}

export async function ping(query: Query): Promise<void> {
  await query`SELECT 1`;
}

/** Says that these graphile workers live. */
export async function writeHeartbeats(query: Query, workerIds: readonly string[], now: Date): Promise<void> {
  await query`
    INSERT INTO worker_heartbeats (worker_id, seen_at) SELECT id, ${now} FROM unnest(${[...workerIds]}::text[]) AS id
    ON CONFLICT (worker_id) DO UPDATE SET seen_at = excluded.seen_at`;
}

/** Takes the workers not seen since `before` out of the table and answers their ids. */
export async function takeSilentWorkers(query: Query, before: Date): Promise<readonly string[]> {
  const rows = await query<
    { worker_id: string }[]
  >`DELETE FROM worker_heartbeats WHERE seen_at < ${before} RETURNING worker_id`;
  return rows.map(({ worker_id }) => worker_id);
}

/** Asks some worker of the fleet to look for due deliveries; many wishes close together become one job. */
export async function addPumpJob(query: Query, jobKey: string, runAt: Date): Promise<void> {
  await query`
    SELECT graphile_worker.add_job('deliver:pump', '{}'::json, job_key => ${jobKey}, job_key_mode => 'preserve_run_at',
      run_at => ${runAt}, max_attempts => 1)`;
}
