import type { Query } from '../client.ts';

/** How it stands with webhooks, over all accounts. */
export interface WebhookQueue {
  /** Deliveries that wait, those under way included; counted to a million. */
  readonly waiting: number;
  /** Of these those whose time has come. */
  readonly due: number;
  /** Since when the one is due that waits longest, of endpoints that do not fail: those pause. Null where none is. */
  readonly oldestDueAt: Date | null;
  /** The oldest event that waits for an endpoint. */
  readonly oldestEventId: string | null;
  /** Events of messages that are not stored yet; counted to a million. */
  readonly backlog: number;
  /** When the oldest of these happened, or one of the oldest. */
  readonly oldestBacklogAt: Date | null;
  readonly endpoints: EndpointCounts;
}

export interface EndpointCounts {
  /** Enabled, and without a failure since their last success. */
  readonly working: number;
  /** Enabled, and without a success since their last failure. */
  readonly failing: number;
  /** Disabled by hand. */
  readonly manual: number;
  /** Disabled because they answered 410. */
  readonly gone: number;
  /** Disabled because they failed for days. */
  readonly failed: number;
}

/** Beyond that nobody needs to know how many there are, and counting would be felt. */
const COUNTED = 1_000_000;
const BACKLOG_LOOKED_AT = 100;

/** The oldest of each kind are found by a step for each endpoint, however much waits. */
export async function readWebhookQueue(query: Query, now: Date): Promise<WebhookQueue> {
  const [counts] = await query<{ waiting: number; due: number; backlog: number }[]>`
    SELECT count(*)::int AS waiting, count(*) FILTER (WHERE next_at <= ${now})::int AS due,
      (SELECT count(*)::int FROM (SELECT FROM event_backlog LIMIT ${COUNTED}) AS b) AS backlog
    FROM (SELECT next_at FROM webhook_deliveries LIMIT ${COUNTED}) AS d`;
  // They lie in the order in which they came, but for the room that others left.
  const [backlog] = await query<{ oldest: Date | null }[]>`
    SELECT min(e.created_at) AS oldest FROM (SELECT * FROM event_backlog LIMIT ${BACKLOG_LOOKED_AT}) AS b
    JOIN message_events e ON e.account_id = b.account_id AND e.message_id = b.message_id AND e.seq = b.seq`;
  const [oldest] = await query<{ dueAt: Date | null; eventId: string | null }[]>`
    WITH RECURSIVE lanes AS (
      (SELECT d.account_id, d.endpoint_id FROM webhook_deliveries d ORDER BY d.account_id, d.endpoint_id LIMIT 1)
      UNION ALL
      SELECT n.account_id, n.endpoint_id FROM lanes l CROSS JOIN LATERAL (
        SELECT d.account_id, d.endpoint_id FROM webhook_deliveries d
        WHERE (d.account_id, d.endpoint_id) > (l.account_id, l.endpoint_id) ORDER BY d.account_id, d.endpoint_id LIMIT 1) AS n
    )
    SELECT min(due.next_at) FILTER (WHERE due.next_at <= ${now} AND w.id IS NOT NULL) AS "dueAt", min(event.event_id::text COLLATE "C") AS "eventId"
    FROM lanes l
    CROSS JOIN LATERAL (SELECT d.next_at FROM webhook_deliveries d
      WHERE d.account_id = l.account_id AND d.endpoint_id = l.endpoint_id ORDER BY d.next_at LIMIT 1) AS due
    CROSS JOIN LATERAL (SELECT d.event_id FROM webhook_deliveries d
      WHERE d.account_id = l.account_id AND d.endpoint_id = l.endpoint_id ORDER BY d.event_id LIMIT 1) AS event
    LEFT JOIN webhook_endpoints w ON w.account_id = l.account_id AND w.id = l.endpoint_id AND w.status = 'enabled'
      AND w.failing_since IS NULL`;
  return {
    waiting: counts?.waiting ?? 0,
    due: counts?.due ?? 0,
    backlog: counts?.backlog ?? 0,
    oldestDueAt: oldest?.dueAt ?? null,
    oldestEventId: oldest?.eventId ?? null,
    oldestBacklogAt: backlog?.oldest ?? null,
    endpoints: await countEndpointStates(query),
  };
}

async function countEndpointStates(query: Query): Promise<EndpointCounts> {
  const [row] = await query<EndpointCounts[]>`
    SELECT count(*) FILTER (WHERE status = 'enabled' AND failing_since IS NULL)::int AS working,
      count(*) FILTER (WHERE status = 'enabled' AND failing_since IS NOT NULL)::int AS failing,
      count(*) FILTER (WHERE disabled_reason = 'manual')::int AS manual, count(*) FILTER (WHERE disabled_reason = 'gone')::int AS gone,
      count(*) FILTER (WHERE disabled_reason = 'failing')::int AS failed
    FROM webhook_endpoints`;
  return row ?? { working: 0, failing: 0, manual: 0, gone: 0, failed: 0 };
}

/** An enabled endpoint that fails, or one that was disabled because it did. */
export interface TroubledEndpoint {
  readonly accountName: string;
  readonly id: string;
  readonly url: string;
  /** Null while it is enabled. */
  readonly disabledReason: 'gone' | 'failing' | null;
  readonly failingSince: Date | null;
}

/** Those that get nothing, whoever's they are: disabled ones first, then those that have failed for longest. */
export async function readTroubledEndpoints(query: Query, limit: number): Promise<readonly TroubledEndpoint[]> {
  return await query<TroubledEndpoint[]>`
    SELECT a.name AS "accountName", w.id, w.url, w.disabled_reason AS "disabledReason", w.failing_since AS "failingSince"
    FROM webhook_endpoints w JOIN accounts a ON a.id = w.account_id
    WHERE w.disabled_reason IN ('gone', 'failing') OR (w.status = 'enabled' AND w.failing_since IS NOT NULL)
    ORDER BY w.status, w.failing_since, w.id LIMIT ${limit}`;
}
