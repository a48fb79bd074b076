import type { Query } from '../client.ts';
import { isUniqueViolation } from '../database-errors.ts';
import { sql } from '../drizzle.ts';
import { recordColumns } from '../record-columns.ts';
import { executing, pg, present, returning } from '../result.ts';
import { type webhookAttempts, webhookDeliveries, webhookEndpoints, webhookEvents } from '../schema/webhooks.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

/**
 * The maximum number of endpoints that one statement claims deliveries of. Each costs a lock, and Postgres has limited room for the locks
 * of all connections together.
 */
const CLAIM_ENDPOINTS = 2_000;

const ROOM = sql.raw(recordColumns({ id: webhookEndpoints.id }));

const claim = defineStatement(
  {
    now: value<Date>(),
    leaseId: webhookDeliveries.leaseId,
    leaseUntil: webhookDeliveries.leaseUntil,
    capacity: value<string>(),
    otherwise: value<number>(),
    limit: value<number>(),
  },
  ({ now, leaseId, leaseUntil, capacity, otherwise, limit }) =>
    returning(
      {
        accountId: webhookDeliveries.accountId,
        endpointId: webhookDeliveries.endpointId,
        eventId: webhookDeliveries.eventId,
        eventType: webhookDeliveries.eventType,
        attempt: webhookDeliveries.attempt,
        step: webhookDeliveries.step,
        body: webhookEvents.body,
        /** Of the endpoint, at this moment. */
        revision: webhookEndpoints.revision,
        isFailing: pg.bool,
        /**
         * Where its row is from now on, until another write moves it. Never null, although the catalog does not say so for any system
         * column.
         */
        place: present(pg.tid),
      },
      sql`
    WITH RECURSIVE queues AS (
      (SELECT d.account_id, d.endpoint_id, d.next_at FROM webhook_deliveries d ORDER BY d.account_id, d.endpoint_id, d.next_at LIMIT 1)
      UNION ALL
      SELECT n.account_id, n.endpoint_id, n.next_at FROM queues l CROSS JOIN LATERAL (
        SELECT d.account_id, d.endpoint_id, d.next_at FROM webhook_deliveries d
        WHERE (d.account_id, d.endpoint_id) > (l.account_id, l.endpoint_id)
        ORDER BY d.account_id, d.endpoint_id, d.next_at LIMIT 1) AS n
    ),
    due AS MATERIALIZED (
      SELECT l.account_id, l.endpoint_id, w.revision, w.failing_since IS NOT NULL AS is_failing, coalesce(r.room, ${otherwise}) AS room
      FROM queues l JOIN webhook_endpoints w ON w.account_id = l.account_id AND w.id = l.endpoint_id AND w.status = 'enabled'
      LEFT JOIN json_to_recordset(${capacity}::text::json) AS r (${ROOM}, room integer) ON r.id = l.endpoint_id
      WHERE l.next_at <= ${now} AND coalesce(r.room, ${otherwise}) > 0
      ORDER BY random() LIMIT ${CLAIM_ENDPOINTS}
    ),
    open AS MATERIALIZED (
      SELECT * FROM due WHERE pg_try_advisory_xact_lock(hashtextextended('postrider.webhooks ' || due.endpoint_id, 0))
    ),
    picked AS MATERIALIZED (
      SELECT d.place, o.revision, o.is_failing FROM open o CROSS JOIN LATERAL (
        SELECT x.ctid AS place FROM webhook_deliveries x
        WHERE x.account_id = o.account_id AND x.endpoint_id = o.endpoint_id AND x.next_at <= ${now}
          AND (x.lease_until IS NULL OR x.lease_until <= ${now})
        ORDER BY x.next_at LIMIT o.room) AS d
      LIMIT ${limit}
    )
    UPDATE webhook_deliveries d SET lease_id = ${leaseId}, lease_until = ${leaseUntil}
    FROM picked p, webhook_events e
    WHERE d.ctid = p.place AND (d.lease_until IS NULL OR d.lease_until <= ${now}) AND e.account_id = d.account_id AND e.id = d.event_id
    RETURNING d.account_id AS "accountId", d.endpoint_id AS "endpointId", d.event_id AS "eventId", d.event_type AS "eventType",
      d.attempt, d.step, e.body, p.revision, p.is_failing AS "isFailing", d.ctid AS place`,
    ),
);

/** A delivery that this process has claimed, with what is to be sent. */
export type ClaimedDelivery = RowOf<typeof claim>;

export interface ClaimOptions {
  readonly now: Date;
  readonly leaseId: string;
  readonly leaseUntil: Date;
  /** How many deliveries may be claimed for an endpoint, by its id; `otherwise` applies to endpoints that are not listed. */
  readonly capacity: ReadonlyMap<string, number>;
  readonly otherwise: number;
  readonly limit: number;
}

/**
 * Claims due deliveries, of each endpoint as many as it has room for, so that one long queue does not delay the others. A loose index scan
 * finds the endpoints with waiting deliveries, one step each. Only one process at a time claims for an endpoint, which costs less than
 * locking each row first. The order is random, so that no delivery is always first.
 */
export async function claimDeliveries(query: Query, options: ClaimOptions): Promise<readonly ClaimedDelivery[]> {
  const capacity = [...options.capacity].map(([id, room]) => ({ id, room }));
  return await claim(query, { ...options, capacity: JSON.stringify(capacity) });
}

export type AttemptRow = typeof webhookAttempts.$inferSelect & {
  /** Null if there is no next attempt. */
  readonly nextAttemptAt: Date | null;
  /** The id of the next attempt. */
  readonly nextId: string | null;
  /** Where the row was when it was claimed; if missing, the row is looked up. */
  readonly place?: string;
};

/**
 * A retry requested during the attempt is made at once and starts the schedule again. A success that began after the request satisfies
 * it.
 */
const IS_OVER = sql`CASE WHEN d.asked_at IS NULL THEN g.next IS NULL ELSE g.s AND g.at > d.asked_at END`;

const record = defineStatement(
  {
    leaseId: webhookDeliveries.leaseId,
    now: value<Date>(),
    accountIds: value<readonly (string | null)[]>(),
    endpointIds: value<readonly string[]>(),
    typeNames: value<readonly string[]>(),
    /** A JSON array of strings; `errors` and `bodies` are indexes into it. */
    texts: value<string>(),
    /** Columns as PostgreSQL array literals. The first two are indexes into `endpointIds` and `typeNames`. */
    endpoints: value<string>(),
    types: value<string>(),
    eventIds: value<string>(),
    ids: value<string>(),
    numbers: value<string>(),
    succeeded: value<string>(),
    statusCodes: value<string>(),
    errors: value<string>(),
    durations: value<string>(),
    bodies: value<string>(),
    times: value<string>(),
    nextIds: value<string>(),
    nextTimes: value<string>(),
    places: value<string>(),
  },
  ({
    leaseId,
    now,
    accountIds,
    endpointIds,
    typeNames,
    texts,
    endpoints,
    types,
    eventIds,
    ids,
    numbers,
    succeeded,
    statusCodes,
    errors,
    durations,
    bodies,
    times,
    nextIds,
    nextTimes,
    places,
  }) => {
    const isHeld = sql`d.account_id = g.a AND d.endpoint_id = g.w AND d.event_id = g.e AND d.lease_id = ${leaseId} AND d.attempt = g.n`;
    return executing(sql`
    WITH given AS MATERIALIZED (
      SELECT (${accountIds}::uuid[])[g.w] AS a, (${endpointIds}::uuid[])[g.w] AS w, (${typeNames}::text[])[g.t] AS t,
        g.e, g.i, g.n, g.s, g.c, texts[g.x] AS x, g.d, texts[g.b] AS b, to_timestamp(g.at / 1000) AS at, g.o, to_timestamp(g.next / 1000) AS next, g.place
      -- OFFSET 0 keeps the planner from evaluating the arrays again to estimate their size.
      FROM (SELECT ${endpoints}::text::integer[] AS w, ${types}::text::integer[] AS t,
        ${eventIds}::text::uuid[] AS e, ${ids}::text::uuid[] AS i,
        ${numbers}::text::integer[] AS n, ${succeeded}::text::boolean[] AS s,
        ${statusCodes}::text::integer[] AS c, ${errors}::text::integer[] AS x,
        ${durations}::text::integer[] AS d, ${bodies}::text::integer[] AS b,
        ${times}::text::double precision[] AS at, ${nextIds}::text::uuid[] AS o,
        ${nextTimes}::text::double precision[] AS next,
        ${places}::text::tid[] AS place,
        ARRAY(SELECT json_array_elements_text(${texts}::text::json)) AS texts OFFSET 0) AS c,
        unnest(c.w, c.t, c.e, c.i, c.n, c.s, c.c, c.x, c.d, c.b, c.at, c.o, c.next, c.place) AS g (w, t, e, i, n, s, c, x, d, b, at, o, next, place)
    ),
    -- Most rows are where they were when they were claimed. The others were written to since and are searched for.
    finished AS (
      DELETE FROM webhook_deliveries d USING given g WHERE d.ctid = g.place AND ${isHeld} AND ${IS_OVER} RETURNING g.i
    ),
    others AS MATERIALIZED (SELECT * FROM given g WHERE NOT EXISTS (SELECT FROM finished f WHERE f.i = g.i)),
    found AS (
      DELETE FROM webhook_deliveries d USING others g WHERE ${isHeld} AND ${IS_OVER} RETURNING g.i
    ),
    -- Leased deliveries that did not end. A retry requested at this moment is seen too: a changed row is read again.
    postponed AS (
      UPDATE webhook_deliveries d SET id = coalesce(g.o, uuid_v7(${now})), attempt = g.n + 1, created_at = ${now},
        step = CASE WHEN d.asked_at IS NULL THEN d.step + 1 ELSE 0 END,
        next_at = CASE WHEN d.asked_at IS NULL THEN coalesce(g.next, ${now}) ELSE ${now} END,
        asked_at = NULL, lease_id = NULL, lease_until = NULL
      FROM others g WHERE ${isHeld} AND NOT EXISTS (SELECT FROM found f WHERE f.i = g.i)
    )
    INSERT INTO webhook_attempts (account_id, endpoint_id, id, event_id, event_type, attempt, succeeded, status_code, error, duration_ms,
      response_body, created_at)
    SELECT a, w, i, e, t, n, s, c, x, d, b, at FROM given`);
  },
);

/**
 * Records attempts and their consequences: the delivery is done, or waits for the next attempt. The log always gets an attempt that was
 * made. Its consequences count only while the delivery has this lease, so that a process that was overtaken changes nothing.
 */
export async function recordAttempts(
  query: Query,
  leaseId: string,
  attempts: readonly AttemptRow[],
  now: Date,
): Promise<void> {
  const [endpoints, types, texts] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  // Sends columns instead of rows, and shared values only once: parsing the same data as JSON took Postgres twice as long.
  const column = (read: (attempt: AttemptRow) => string | number | boolean | null) =>
    `{${attempts.map((attempt) => read(attempt) ?? 'NULL').join(',')}}`;
  const columns = {
    endpoints: column(({ endpointId }) => placeOf(endpoints, endpointId)),
    types: column(({ eventType }) => placeOf(types, eventType)),
    eventIds: column(({ eventId }) => eventId),
    ids: column(({ id }) => id),
    numbers: column(({ attempt }) => attempt),
    succeeded: column(({ succeeded }) => succeeded),
    statusCodes: column(({ statusCode }) => statusCode),
    errors: column(({ error }) => (error === null ? null : placeOf(texts, error))),
    durations: column(({ durationMs }) => durationMs),
    bodies: column(({ responseBody }) => (responseBody === null ? null : placeOf(texts, responseBody))),
    times: column(({ createdAt }) => createdAt.getTime()),
    nextIds: column(({ nextId }) => nextId),
    nextTimes: column(({ nextAttemptAt }) => nextAttemptAt?.getTime() ?? null),
    places: column(({ place }) => (place === undefined ? null : `"${place}"`)),
  };
  const accounts = new Map(attempts.map(({ endpointId, accountId }) => [endpointId, accountId]));
  const accountIds = [...endpoints.keys()].map((id) => accounts.get(id) ?? null);
  const [endpointIds, typeNames] = [[...endpoints.keys()], [...types.keys()]];
  try {
    await record(query, {
      ...columns,
      ...{ leaseId, now, accountIds, endpointIds, typeNames, texts: JSON.stringify([...texts.keys()]) },
    });
  } catch (error) {
    // An earlier try whose response was lost has written all of it, so there is nothing left to do.
    if (!isUniqueViolation(error)) throw error;
  }
}

/** The index of a value in a PostgreSQL array, which starts at 1; a new value gets the next index. */
function placeOf(places: Map<string, number>, value: string): number {
  const known = places.get(value);
  if (known !== undefined) return known;
  places.set(value, places.size + 1);
  return places.size;
}

const DELIVERY = {
  accountId: webhookDeliveries.accountId,
  endpointId: webhookDeliveries.endpointId,
  eventId: webhookDeliveries.eventId,
};

const release = defineStatement(
  { leaseId: webhookDeliveries.leaseId, deliveries: value<string>() },
  ({ leaseId, deliveries }) =>
    executing(sql`
      UPDATE webhook_deliveries d SET lease_id = NULL, lease_until = NULL
      FROM json_to_recordset(${deliveries}::text::json) AS g (${sql.raw(recordColumns(DELIVERY))})
      WHERE d.account_id = g."accountId" AND d.endpoint_id = g."endpointId" AND d.event_id = g."eventId" AND d.lease_id = ${leaseId}`),
);

/** Releases deliveries that were claimed but not begun. */
export async function releaseDeliveries(
  query: Query,
  leaseId: string,
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  const rows = deliveries.map(({ accountId, endpointId, eventId }) => ({ accountId, endpointId, eventId }));
  await release(query, { leaseId, deliveries: JSON.stringify(rows) });
}
