import type { Query } from '../client.ts';
import { isUniqueViolation } from '../database-errors.ts';
import { sql } from '../drizzle.ts';
import { arrayOf, columnNames, literalsOf, readLiterals, recordColumns } from '../record-columns.ts';
import { executing, pg, present, returning } from '../result.ts';
import { webhookAttempts, webhookDeliveries, webhookEndpoints, webhookEvents } from '../schema/webhooks.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

/**
 * The maximum number of endpoints that one statement claims deliveries of. Each costs a lock, and Postgres has limited room for the locks
 * of all connections together.
 */
const CLAIM_ENDPOINTS = 2_000;

const ROOM = sql.raw(recordColumns({ id: webhookEndpoints.id, room: pg.int4 }));

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
      LEFT JOIN json_to_recordset(${capacity}::text::json) AS r (${ROOM}) ON r.id = l.endpoint_id
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
const IS_OVER = sql`CASE WHEN d.asked_at IS NULL THEN g.next_at IS NULL ELSE g.succeeded AND g.created_at > d.asked_at END`;

/** One attempt as the statement gets it. */
const GIVEN = {
  /** An index into the endpoints' ids and their accounts. */
  endpoint: pg.int4,
  /** An index into the names of the types. */
  type: pg.int4,
  event_id: webhookAttempts.eventId,
  id: webhookAttempts.id,
  attempt: webhookAttempts.attempt,
  succeeded: webhookAttempts.succeeded,
  status_code: webhookAttempts.statusCode,
  /** An index into the texts, as is `response_body`. */
  error: pg.int4,
  duration_ms: webhookAttempts.durationMs,
  response_body: pg.int4,
  /** In milliseconds since 1970, as is `next_at`. */
  created_at: pg.float8,
  next_id: webhookDeliveries.id,
  next_at: pg.float8,
  place: pg.tid,
};

const record = defineStatement(
  {
    leaseId: webhookDeliveries.leaseId,
    now: value<Date>(),
    accountIds: value<readonly (string | null)[]>(),
    endpointIds: value<readonly string[]>(),
    typeNames: value<readonly string[]>(),
    /** A JSON array of strings. */
    texts: value<string>(),
    /** The columns of GIVEN as PostgreSQL array literals. */
    ...literalsOf(GIVEN),
  },
  ({ leaseId, now, accountIds, endpointIds, typeNames, texts, ...columns }) => {
    const isHeld = sql`d.account_id = g.account_id AND d.endpoint_id = g.endpoint_id AND d.event_id = g.event_id
      AND d.lease_id = ${leaseId} AND d.attempt = g.attempt`;
    return executing(sql`
    WITH given AS MATERIALIZED (
      SELECT (${arrayOf(webhookAttempts.accountId, accountIds)})[g.endpoint] AS account_id,
        (${arrayOf(webhookAttempts.endpointId, endpointIds)})[g.endpoint] AS endpoint_id,
        (${arrayOf(webhookAttempts.eventType, typeNames)})[g.type] AS event_type,
        g.event_id, g.id, g.attempt, g.succeeded, g.status_code, texts[g.error] AS error, g.duration_ms,
        texts[g.response_body] AS response_body, to_timestamp(g.created_at / 1000) AS created_at, g.next_id,
        to_timestamp(g.next_at / 1000) AS next_at, g.place
      -- OFFSET 0 keeps the planner from evaluating the arrays again to estimate their size.
      FROM (SELECT ${readLiterals(GIVEN, columns)},
        ARRAY(SELECT json_array_elements_text(${texts}::text::json)) AS texts OFFSET 0) AS c,
        unnest(${columnNames(GIVEN, 'c')}) AS g (${columnNames(GIVEN)})
    ),
    -- Most rows are where they were when they were claimed. The others were written to since and are searched for.
    finished AS (
      DELETE FROM webhook_deliveries d USING given g WHERE d.ctid = g.place AND ${isHeld} AND ${IS_OVER} RETURNING g.id
    ),
    others AS MATERIALIZED (SELECT * FROM given g WHERE NOT EXISTS (SELECT FROM finished f WHERE f.id = g.id)),
    found AS (
      DELETE FROM webhook_deliveries d USING others g WHERE ${isHeld} AND ${IS_OVER} RETURNING g.id
    ),
    -- Leased deliveries that did not end. A retry requested at this moment is seen too: a changed row is read again.
    postponed AS (
      UPDATE webhook_deliveries d SET id = coalesce(g.next_id, uuid_v7(${now})), attempt = g.attempt + 1, created_at = ${now},
        step = CASE WHEN d.asked_at IS NULL THEN d.step + 1 ELSE 0 END,
        next_at = CASE WHEN d.asked_at IS NULL THEN coalesce(g.next_at, ${now}) ELSE ${now} END,
        asked_at = NULL, lease_id = NULL, lease_until = NULL
      FROM others g WHERE ${isHeld} AND NOT EXISTS (SELECT FROM found f WHERE f.id = g.id)
    )
    INSERT INTO webhook_attempts (account_id, endpoint_id, id, event_id, event_type, attempt, succeeded, status_code, error, duration_ms,
      response_body, created_at)
    SELECT account_id, endpoint_id, id, event_id, event_type, attempt, succeeded, status_code, error, duration_ms, response_body, created_at
    FROM given`);
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
  const column = (read: (attempt: AttemptRow) => string | number | boolean | null) => {
    const values = attempts.map(read);
    // `unnest` fills shorter arrays with nulls.
    return values.every((value) => value === null) ? '{}' : `{${values.map((value) => value ?? 'NULL').join(',')}}`;
  };
  const columns = {
    endpoint: column(({ endpointId }) => placeOf(endpoints, endpointId)),
    type: column(({ eventType }) => placeOf(types, eventType)),
    event_id: column(({ eventId }) => eventId),
    id: column(({ id }) => id),
    attempt: column(({ attempt }) => attempt),
    succeeded: column(({ succeeded }) => succeeded),
    status_code: column(({ statusCode }) => statusCode),
    error: column(({ error }) => (error === null ? null : placeOf(texts, error))),
    duration_ms: column(({ durationMs }) => durationMs),
    response_body: column(({ responseBody }) => (responseBody === null ? null : placeOf(texts, responseBody))),
    created_at: column(({ createdAt }) => createdAt.getTime()),
    next_id: column(({ nextId }) => nextId),
    next_at: column(({ nextAttemptAt }) => nextAttemptAt?.getTime() ?? null),
    place: column(({ place }) => (place === undefined ? null : `"${place}"`)),
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
