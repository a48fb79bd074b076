import { rowsUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { narrowed, nullable, pg, returning } from '../result.ts';
import { accounts } from '../schema/accounts.ts';
import { messageEvents } from '../schema/messages.ts';
import { webhookDeliveries, webhookEndpoints } from '../schema/webhooks.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

/** The state of webhook delivery over all accounts. */
export interface WebhookQueue {
  /** Waiting deliveries, including those in progress; counted up to a million. */
  readonly waiting: number;
  /** The number of these that are due. */
  readonly due: number;
  /**
   * The due time of the delivery that has been due the longest, over endpoints that are not failing, since failing ones pause. Null if
   * there is none.
   */
  readonly oldestDueAt: Date | null;
  /** The oldest event that waits for an endpoint. */
  readonly oldestEventId: string | null;
  /** Events of messages that are not stored yet; counted up to a million. */
  readonly backlog: number;
  /** When the oldest of these happened, or one of the oldest. */
  readonly oldestBacklogAt: Date | null;
  readonly endpoints: EndpointCounts;
}

/** No one needs an exact number beyond this, and counting further would cost noticeable time. */
const COUNTED = 1_000_000;
const BACKLOG_LOOKED_AT = 100;

const countWaiting = defineStatement({ now: value<Date>() }, ({ now }) =>
  returning(
    { waiting: pg.int4, due: pg.int4, backlog: pg.int4 },
    sql`
    SELECT count(*)::int AS waiting, count(*) FILTER (WHERE next_at <= ${now})::int AS due,
      (SELECT count(*)::int FROM ${rowsUpTo(COUNTED, sql`SELECT FROM event_backlog`)}) AS backlog
    FROM ${rowsUpTo(COUNTED, sql`SELECT next_at FROM webhook_deliveries`)}`,
  ),
);

// Rows are stored in order of arrival, except where they reuse free space.
const readOldestOfBacklog = defineStatement({}, () =>
  returning(
    { oldest: nullable(messageEvents.createdAt) },
    sql`
    SELECT min(e.created_at) AS oldest FROM (SELECT * FROM event_backlog LIMIT ${BACKLOG_LOOKED_AT}) AS b
    JOIN message_events e ON e.account_id = b.account_id AND e.message_id = b.message_id AND e.seq = b.seq`,
  ),
);

const readOldest = defineStatement({ now: value<Date>() }, ({ now }) =>
  returning(
    { dueAt: nullable(webhookDeliveries.nextAt), eventId: nullable(pg.text) },
    sql`
    WITH RECURSIVE queues AS (
      (SELECT d.account_id, d.endpoint_id FROM webhook_deliveries d ORDER BY d.account_id, d.endpoint_id LIMIT 1)
      UNION ALL
      SELECT n.account_id, n.endpoint_id FROM queues l CROSS JOIN LATERAL (
        SELECT d.account_id, d.endpoint_id FROM webhook_deliveries d
        WHERE (d.account_id, d.endpoint_id) > (l.account_id, l.endpoint_id) ORDER BY d.account_id, d.endpoint_id LIMIT 1) AS n
    )
    SELECT min(due.next_at) FILTER (WHERE due.next_at <= ${now} AND w.id IS NOT NULL) AS "dueAt", min(event.event_id::text COLLATE "C") AS "eventId"
    FROM queues l
    CROSS JOIN LATERAL (SELECT d.next_at FROM webhook_deliveries d
      WHERE d.account_id = l.account_id AND d.endpoint_id = l.endpoint_id ORDER BY d.next_at LIMIT 1) AS due
    CROSS JOIN LATERAL (SELECT d.event_id FROM webhook_deliveries d
      WHERE d.account_id = l.account_id AND d.endpoint_id = l.endpoint_id ORDER BY d.event_id LIMIT 1) AS event
    LEFT JOIN webhook_endpoints w ON w.account_id = l.account_id AND w.id = l.endpoint_id AND w.status = 'enabled'
      AND w.failing_since IS NULL`,
  ),
);

const countStates = defineStatement({}, () =>
  returning(
    {
      /** Enabled, and without a failure since their last success. */
      working: pg.int4,
      /** Enabled, and without a success since their last failure. */
      failing: pg.int4,
      /** Disabled by hand. */
      manual: pg.int4,
      /** Disabled because they responded with 410. */
      gone: pg.int4,
      /** Disabled because they failed for days. */
      failed: pg.int4,
    },
    sql`
    SELECT count(*) FILTER (WHERE status = 'enabled' AND failing_since IS NULL)::int AS working,
      count(*) FILTER (WHERE status = 'enabled' AND failing_since IS NOT NULL)::int AS failing,
      count(*) FILTER (WHERE disabled_reason = 'manual')::int AS manual, count(*) FILTER (WHERE disabled_reason = 'gone')::int AS gone,
      count(*) FILTER (WHERE disabled_reason = 'failing')::int AS failed
    FROM webhook_endpoints`,
  ),
);

export type EndpointCounts = RowOf<typeof countStates>;

/** Finds the oldest of each kind with one index step for each endpoint, however much waits. */
export async function readWebhookQueue(query: Query, now: Date): Promise<WebhookQueue> {
  const [counts] = await countWaiting(query, { now });
  const [backlog] = await readOldestOfBacklog(query, {});
  const [oldest] = await readOldest(query, { now });
  const [endpoints] = await countStates(query, {});
  return {
    waiting: counts?.waiting ?? 0,
    due: counts?.due ?? 0,
    backlog: counts?.backlog ?? 0,
    oldestDueAt: oldest?.dueAt ?? null,
    oldestEventId: oldest?.eventId ?? null,
    oldestBacklogAt: backlog?.oldest ?? null,
    endpoints: endpoints ?? { working: 0, failing: 0, manual: 0, gone: 0, failed: 0 },
  };
}

const readFailing = defineStatement({ limit: value<number>() }, ({ limit }) =>
  returning(
    {
      accountName: accounts.name,
      id: webhookEndpoints.id,
      url: webhookEndpoints.url,
      /** Null while it is enabled. */
      disabledReason: narrowed<'gone' | 'failing' | null>(nullable(webhookEndpoints.disabledReason)),
      failingSince: webhookEndpoints.failingSince,
    },
    sql`
    SELECT a.name AS "accountName", w.id, w.url, w.disabled_reason AS "disabledReason", w.failing_since AS "failingSince"
    FROM webhook_endpoints w JOIN accounts a ON a.id = w.account_id
    WHERE w.disabled_reason IN ('gone', 'failing') OR (w.status = 'enabled' AND w.failing_since IS NOT NULL)
    ORDER BY w.status, w.failing_since, w.id LIMIT ${limit}`,
  ),
);

/** An enabled endpoint that fails, or one that was disabled for failing. */
export type FailingEndpointRow = RowOf<typeof readFailing>;

/** Endpoints of any account that receive nothing: disabled ones first, then those that have failed the longest. */
export async function readFailingEndpoints(query: Query, limit: number): Promise<readonly FailingEndpointRow[]> {
  return await readFailing(query, { limit });
}
