import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { unnested } from '../record-columns.ts';
import { executing, returning } from '../result.ts';
import { workerHeartbeats } from '../schema/installation.ts';
import { defineStatement, value } from '../statement.ts';

/** Removes data that is kept for a limited time only. */
export async function purgeExpired(
  query: Query,
  limits: {
    readonly requestsBefore: Date;
    readonly idempotencyBefore: Date;
    readonly capturedBefore: Date;
    readonly bodiesBefore: Date;
    readonly messagesBefore: Date;
    /** The statuses of unfinished messages, which are kept. */
    readonly openStatuses: readonly string[];
  },
): Promise<void> {
  await repeat(() => purgeRequests(query, { before: limits.requestsBefore }), PURGE_SMALL);
  await repeat(() => purgeIdempotencyKeys(query, { before: limits.idempotencyBefore }), PURGE_SMALL);
  await repeat(() => purgeCaptured(query, { before: limits.capturedBefore }), PURGE_FILES);
  await repeat(() => purgeAttachments(query, { before: limits.bodiesBefore }), PURGE_FILES);
  await repeat(() => purgeBodies(query, { before: limits.bodiesBefore }));
  await repeat(() => purgeEditedBodies(query, {}));
  await repeat(() => purgeApprovalLinks(query, { before: limits.bodiesBefore }));
  await repeat(() => purgeMessages(query, { before: limits.messagesBefore, openStatuses: limits.openStatuses }));
  await purgePairs(query, { before: limits.messagesBefore });
}

/** The maximum number of rows that a statement removes, so that none reaches its time limit, however much there is. */
const PURGE_ROWS = 5_000;
/** For tables that no other rows depend on. */
const PURGE_SMALL = 50_000;
/** Files are up to a thousand times as large as other rows. */
const PURGE_FILES = 100;

async function repeat(purge: () => Promise<number>, rows = PURGE_ROWS): Promise<void> {
  while ((await purge()) === rows);
}

const purgeRequests = defineStatement({ before: value<Date>() }, ({ before }) =>
  executing(sql`
    DELETE FROM request_log
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM request_log WHERE created_at < ${before} LIMIT ${PURGE_SMALL}))`),
);

/** A key that is reused in the meantime has a new ctid, so it is kept. */
const purgeIdempotencyKeys = defineStatement({ before: value<Date>() }, ({ before }) =>
  executing(sql`
    DELETE FROM idempotency_keys
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM idempotency_keys WHERE created_at < ${before} LIMIT ${PURGE_SMALL}))
      AND created_at < ${before}`),
);

const purgeCaptured = defineStatement({ before: value<Date>() }, ({ before }) =>
  executing(sql`
    DELETE FROM captured_messages
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM captured_messages WHERE received_at < ${before} LIMIT ${PURGE_FILES}))`),
);

/** Removes the files of messages, except those still waiting for delivery; returns how many. */
const purgeAttachments = defineStatement({ before: value<Date>() }, ({ before }) =>
  executing(sql`
    WITH aged AS MATERIALIZED (
      SELECT a.account_id, a.message_id, a.ordinal FROM message_attachments a WHERE a.message_id < uuid_v7_lower_bound(${before})
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.account_id = a.account_id AND d.message_id = a.message_id)
        AND NOT EXISTS (SELECT 1 FROM approvals h WHERE h.account_id = a.account_id AND h.message_id = a.message_id AND h.status = 'pending')
      LIMIT ${PURGE_FILES})
    DELETE FROM message_attachments a USING aged
    WHERE a.account_id = aged.account_id AND a.message_id = aged.message_id AND a.ordinal = aged.ordinal`),
);

/** Removes bodies, except those of messages still waiting for delivery; returns how many. */
const purgeBodies = defineStatement({ before: value<Date>() }, ({ before }) =>
  executing(sql`
    WITH aged AS MATERIALIZED (
      SELECT b.account_id, b.message_id FROM message_bodies b WHERE b.message_id < uuid_v7_lower_bound(${before})
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.account_id = b.account_id AND d.message_id = b.message_id)
        AND NOT EXISTS (SELECT 1 FROM approvals h WHERE h.account_id = b.account_id AND h.message_id = b.message_id AND h.status = 'pending')
      LIMIT ${PURGE_ROWS})
    DELETE FROM message_bodies b USING aged WHERE b.account_id = aged.account_id AND b.message_id = aged.message_id`),
);

/**
 * An approver's revisions are kept as long as the body itself and are removed when it is purged or canceled. Returns how many revisions
 * lost theirs.
 */
const purgeEditedBodies = defineStatement({}, () =>
  executing(sql`
    WITH aged AS MATERIALIZED (
      SELECT v.account_id, v.approval_id, v.revision FROM approval_revisions v
      JOIN approvals h ON h.account_id = v.account_id AND h.id = v.approval_id
      WHERE v.changes ?| ARRAY['html', 'text']
        AND NOT EXISTS (SELECT 1 FROM message_bodies b WHERE b.account_id = h.account_id AND b.message_id = h.message_id)
      LIMIT ${PURGE_ROWS})
    UPDATE approval_revisions v SET changes = v.changes - ARRAY['html', 'text'] FROM aged
    WHERE v.account_id = aged.account_id AND v.approval_id = aged.approval_id AND v.revision = aged.revision`),
);

/** Removes the links to holds that ended before this time, whose content is gone as well; returns how many. */
const purgeApprovalLinks = defineStatement({ before: value<Date>() }, ({ before }) =>
  executing(sql`
    WITH aged AS MATERIALIZED (
      SELECT l.account_id, l.token_hash FROM approval_links l
      JOIN approvals h ON h.account_id = l.account_id AND h.id = l.approval_id
      WHERE h.status <> 'pending' AND greatest(l.created_at, coalesce(h.decided_at, h.expires_at)) < ${before}
      LIMIT ${PURGE_ROWS})
    DELETE FROM approval_links l USING aged WHERE l.account_id = aged.account_id AND l.token_hash = aged.token_hash`),
);

/** Removes messages with all dependent rows, except messages still waiting for delivery; returns how many. */
const purgeMessages = defineStatement(
  { before: value<Date>(), openStatuses: value<readonly string[]>() },
  ({ before, openStatuses }) =>
    executing(sql`
    WITH aged AS MATERIALIZED (
      SELECT m.account_id, m.id FROM messages m
      WHERE m.id < uuid_v7_lower_bound(${before}) AND m.status <> ALL (${openStatuses}::text[])
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.account_id = m.account_id AND d.message_id = m.id)
      LIMIT ${PURGE_ROWS}
    ), recipients AS (
      DELETE FROM message_recipients r USING aged WHERE r.account_id = aged.account_id AND r.message_id = aged.id
    ), events AS (
      DELETE FROM message_events e USING aged WHERE e.account_id = aged.account_id AND e.message_id = aged.id
    ), bodies AS (
      DELETE FROM message_bodies b USING aged WHERE b.account_id = aged.account_id AND b.message_id = aged.id
    ), files AS (
      DELETE FROM message_attachments a USING aged WHERE a.account_id = aged.account_id AND a.message_id = aged.id
    ), tracking AS (
      DELETE FROM message_tracking t USING aged WHERE t.account_id = aged.account_id AND t.message_id = aged.id
    ), search AS (
      DELETE FROM message_search s USING aged WHERE s.account_id = aged.account_id AND s.message_id = aged.id
    ), counts AS (
      DELETE FROM message_counts c USING aged WHERE c.account_id = aged.account_id AND c.message_id = aged.id
    ), holds AS (
      DELETE FROM approvals h USING aged WHERE h.account_id = aged.account_id AND h.message_id = aged.id
    )
    DELETE FROM messages m USING aged WHERE m.account_id = aged.account_id AND m.id = aged.id`),
);

/** Removes the pairs of spans without messages. */
const purgePairs = defineStatement({ before: value<Date>() }, ({ before }) =>
  executing(sql`
    DELETE FROM search_pairs p USING (
      SELECT account_id, span, rpad(lpad(to_hex(span), 5, '0'), 32, '0')::uuid AS first, rpad(lpad(to_hex(span), 5, '0'), 32, 'f')::uuid AS last
      FROM search_pairs OFFSET 0) AS aged
    WHERE p.account_id = aged.account_id AND p.span = aged.span AND aged.last < uuid_v7_lower_bound(${before})
      AND NOT EXISTS (
        SELECT FROM message_search s
        WHERE s.account_id = aged.account_id AND s.message_id >= aged.first AND s.message_id <= aged.last)`),
);

const select = defineStatement({}, () => executing(sql`SELECT`));

export async function ping(query: Query): Promise<void> {
  await select(query, {});
}

const upsertHeartbeats = defineStatement(
  { workerIds: value<readonly string[]>(), now: workerHeartbeats.seenAt },
  ({ workerIds, now }) =>
    executing(sql`
      INSERT INTO worker_heartbeats (worker_id, seen_at) SELECT id, ${now} FROM ${unnested({ id: workerHeartbeats.workerId }, { id: workerIds })} AS id
      ON CONFLICT (worker_id) DO UPDATE SET seen_at = excluded.seen_at`),
);

/** Records that these graphile workers are alive. */
export async function writeHeartbeats(query: Query, workerIds: readonly string[], now: Date): Promise<void> {
  await upsertHeartbeats(query, { workerIds, now });
}

const readSilent = defineStatement({ before: workerHeartbeats.seenAt }, ({ before }) =>
  returning(
    { workerId: workerHeartbeats.workerId },
    sql`SELECT worker_id AS "workerId" FROM worker_heartbeats WHERE seen_at < ${before}`,
  ),
);

/** The graphile workers not seen since `before`. */
export async function readSilentWorkers(query: Query, before: Date): Promise<readonly string[]> {
  const rows = await readSilent(query, { before });
  return rows.map(({ workerId }) => workerId);
}

const removeWorkers = defineStatement({ workerIds: value<readonly string[]>() }, ({ workerIds }) =>
  executing(sql`DELETE FROM worker_heartbeats WHERE worker_id = ANY (${workerIds}::text[])`),
);

/** Removes workers that have ended; they no longer have any locks. */
export async function forgetWorkers(query: Query, workerIds: readonly string[]): Promise<void> {
  await removeWorkers(query, { workerIds });
}

const addJob = defineStatement({ jobKey: value<string>(), runAt: value<Date>() }, ({ jobKey, runAt }) =>
  executing(sql`
    SELECT FROM graphile_worker.add_job('deliver:pump', '{}'::json, job_key => ${jobKey}, job_key_mode => 'preserve_run_at',
      run_at => ${runAt}, max_attempts => 1)`),
);

/** Asks a worker of the fleet to look for due deliveries. Requests in quick succession become one job. */
export async function addPumpJob(query: Query, jobKey: string, runAt: Date): Promise<void> {
  await addJob(query, { jobKey, runAt });
}
