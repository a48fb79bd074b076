import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { executing, pg, returning } from '../result.ts';
import { webhookAttempts, webhookDeliveries, webhookEvents } from '../schema/webhooks.ts';
import { defineStatement, type GivenOf, optional, value } from '../statement.ts';

export interface ReplaySelection {
  readonly accountId: string;
  readonly endpointId: string;
  readonly since: Date;
  readonly until: Date;
  /** Null: all. */
  readonly types: readonly string[] | null;
  readonly ids: readonly string[] | null;
  readonly status: 'failed' | 'succeeded' | null;
}

const SELECTION = {
  accountId: webhookEvents.accountId,
  endpointId: webhookAttempts.endpointId,
  since: webhookEvents.createdAt,
  until: webhookEvents.createdAt,
  types: optional(value<readonly string[]>()),
  ids: optional(value<readonly string[]>()),
};

type Given = GivenOf<typeof SELECTION>;

function isTaken({ accountId, endpointId }: Given): SQL {
  return sql`EXISTS (SELECT FROM webhook_attempts x
    WHERE x.account_id = ${accountId} AND x.endpoint_id = ${endpointId} AND x.event_id = e.id AND x.succeeded)`;
}

/** The same statement for each status: all events, those that the endpoint received, and those it did not. */
function byStatus<Statement>(define: (selected: (given: Given) => SQL) => Statement) {
  return {
    all: define((given) => selected(given)),
    succeeded: define((given) => sql`${selected(given)} AND ${isTaken(given)}`),
    failed: define((given) => sql`${selected(given)} AND NOT ${isTaken(given)}`),
  };
}

function selected({ accountId, endpointId, since, until, types, ids }: Given): SQL {
  return sql`
    SELECT e.id FROM webhook_events e JOIN webhook_endpoints w ON w.account_id = e.account_id AND w.id = ${endpointId}
    WHERE e.account_id = ${accountId} AND e.created_at >= ${since} AND e.created_at < ${until}
      AND e.id >= uuid_v7_lower_bound(${since}::timestamptz - interval '1 minute')
      AND CASE WHEN e.endpoint_id IS NULL THEN w.events = '{}' OR e.type = ANY (w.events) ELSE e.endpoint_id = w.id END
      ${types && sql`AND e.type = ANY (${types}::text[])`} ${ids && sql`AND e.id = ANY (${ids}::uuid[])`}`;
}

const count = byStatus((events) =>
  defineStatement(SELECTION, (given) =>
    returning({ count: pg.int4 }, sql`SELECT count(*)::int AS count FROM (${events(given)}) AS s`),
  ),
);

/** The number of events in a selection. */
export async function countReplay(query: Query, { status, ...selection }: ReplaySelection): Promise<number> {
  const [row] = await count[status ?? 'all'](query, selection);
  return row?.count ?? 0;
}

const read = byStatus((events) =>
  defineStatement(
    { ...SELECTION, after: optional(webhookEvents.id), limit: value<number>() },
    ({ after, limit, ...given }) =>
      returning(
        { id: webhookEvents.id },
        sql`${events(given)} ${after && sql`AND e.id > ${after}`} ORDER BY e.id LIMIT ${limit}`,
      ),
  ),
);

/** Ids of up to `limit` events of a selection after an id, oldest first. */
export async function readReplay(
  query: Query,
  { status, ...selection }: ReplaySelection,
  after: string | null,
  limit: number,
): Promise<readonly string[]> {
  const rows = await read[status ?? 'all'](query, { ...selection, after, limit });
  return rows.map(({ id }) => id);
}

const requeue = defineStatement(
  {
    accountId: webhookDeliveries.accountId,
    endpointId: webhookDeliveries.endpointId,
    eventIds: value<readonly string[]>(),
    now: value<Date>(),
  },
  ({ accountId, endpointId, eventIds, now }) =>
    executing(sql`
      INSERT INTO webhook_deliveries AS d (account_id, endpoint_id, event_id, id, event_type, attempt, step, next_at, created_at)
      SELECT e.account_id, ${endpointId}, e.id, uuid_v7(${now}), e.type, 1 + coalesce((SELECT max(x.attempt) FROM webhook_attempts x
        WHERE x.account_id = ${accountId} AND x.endpoint_id = ${endpointId} AND x.event_id = e.id), 0), 0, ${now}, ${now}
      FROM webhook_events e WHERE e.account_id = ${accountId} AND e.id = ANY (${eventIds}::uuid[])
      ON CONFLICT (account_id, endpoint_id, event_id) DO UPDATE SET step = 0, next_at = least(d.next_at, excluded.next_at),
        asked_at = CASE WHEN d.lease_until > ${now} THEN ${now}::timestamptz END`),
);

/**
 * Queues events for an endpoint, due at once and with the whole schedule before them; events that already wait become due at once too.
 * Where an attempt may be in progress, the time of the request is recorded, so that the end of that attempt does not complete the delivery.
 * @returns how many are queued
 */
export async function requeueEvents(
  query: Query,
  {
    accountId,
    endpointId,
    eventIds,
  }: { readonly accountId: string; readonly endpointId: string; readonly eventIds: readonly string[] },
  now: Date,
): Promise<number> {
  return await requeue(query, { accountId, endpointId, eventIds, now });
}
