import type { Query } from '../client.ts';
import { isUniqueViolation } from '../database-errors.ts';

/** A delivery that this process has taken, with what is to be sent. */
export interface ClaimedDelivery {
  readonly accountId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly attempt: number;
  readonly step: number;
  readonly body: string;
  /** Of the endpoint, at this moment. */
  readonly revision: number;
  readonly isFailing: boolean;
  /** Where its row is from now on, until somebody writes to it. */
  readonly place: string;
}

export interface ClaimOptions {
  readonly now: Date;
  readonly leaseId: string;
  readonly leaseUntil: Date;
  /** How many of an endpoint's may be taken, by its id; `otherwise` of those that are not named. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly otherwise: number;
  readonly limit: number;
}

/** Endpoints that one statement takes of: each costs a lock, and those of all connections together have only so much room in Postgres. */
const CLAIM_ENDPOINTS = 2_000;

/**
 * Takes due deliveries, of each endpoint as many as there is room for, so that none that has much waiting keeps another's back. Endpoints with
 * something waiting are found by a loose scan: one step each, however much of theirs waits. They are taken in no order, so that none comes
 * first for ever where not all fit in. One process takes of an endpoint at a time, and others go on to the next: that costs less than to lock
 * each row before it is written, and what one has just taken is no longer where the other found it.
 */
export async function claimDeliveries(query: Query, options: ClaimOptions): Promise<readonly ClaimedDelivery[]> {
  const { now, leaseId, leaseUntil, otherwise, limit } = options;
  const rooms = [...options.rooms].map(([id, room]) => ({ id, room }));
  return await query<ClaimedDelivery[]>`
    WITH RECURSIVE lanes AS (
      (SELECT d.account_id, d.endpoint_id, d.next_at FROM webhook_deliveries d ORDER BY d.account_id, d.endpoint_id, d.next_at LIMIT 1)
      UNION ALL
      SELECT n.account_id, n.endpoint_id, n.next_at FROM lanes l CROSS JOIN LATERAL (
        SELECT d.account_id, d.endpoint_id, d.next_at FROM webhook_deliveries d
        WHERE (d.account_id, d.endpoint_id) > (l.account_id, l.endpoint_id)
        ORDER BY d.account_id, d.endpoint_id, d.next_at LIMIT 1) AS n
    ),
    due AS MATERIALIZED (
      SELECT l.account_id, l.endpoint_id, w.revision, w.failing_since IS NOT NULL AS is_failing, coalesce(r.room, ${otherwise}) AS room
      FROM lanes l JOIN webhook_endpoints w ON w.account_id = l.account_id AND w.id = l.endpoint_id AND w.status = 'enabled'
      LEFT JOIN json_to_recordset(${JSON.stringify(rooms)}::text::json) AS r (id uuid, room integer) ON r.id = l.endpoint_id
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
      d.attempt, d.step, e.body, p.revision, p.is_failing AS "isFailing", d.ctid AS place`;
}

export interface AttemptRow {
  readonly accountId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly id: string;
  readonly eventType: string;
  readonly attempt: number;
  readonly succeeded: boolean;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly responseBody: string | null;
  readonly createdAt: Date;
  /** Null where none follows. */
  readonly nextAttemptAt: Date | null;
  /** Of the attempt that follows. */
  readonly nextId: string | null;
  /** Where the row was when it was taken; not given: it is looked for. */
  readonly place?: string;
}

/**
 * Writes attempts down, and what follows of each: the delivery goes, or waits for the next one. An attempt that was made stands in the log in any
 * case; what follows of it counts only while the delivery has this lease, so that a process that was overtaken moves nothing.
 */
export async function recordAttempts(
  query: Query,
  leaseId: string,
  attempts: readonly AttemptRow[],
  now: Date,
): Promise<void> {
  const [endpoints, types, texts] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  // Column by column, and what many have in common once: to take the same apart as JSON took Postgres twice as long.
  const column = (read: (attempt: AttemptRow) => string | number | boolean | null) =>
    `{${attempts.map((attempt) => read(attempt) ?? 'NULL').join(',')}}`;
  const endpointColumn = column(({ endpointId }) => placeOf(endpoints, endpointId));
  const typeColumn = column(({ eventType }) => placeOf(types, eventType));
  const errorColumn = column(({ error }) => (error === null ? null : placeOf(texts, error)));
  const bodyColumn = column(({ responseBody }) => (responseBody === null ? null : placeOf(texts, responseBody)));
  const accounts = new Map(attempts.map(({ endpointId, accountId }) => [endpointId, accountId]));
  const accountIds = [...endpoints.keys()].map((id) => accounts.get(id) ?? null);
  // One that was asked for meanwhile is made at once, with the whole schedule before it; a success that began behind the asking is that one.
  const isOver = query`CASE WHEN d.asked_at IS NULL THEN g.next IS NULL ELSE g.s AND g.at > d.asked_at END`;
  const isHeld = query`d.account_id = g.a AND d.endpoint_id = g.w AND d.event_id = g.e AND d.lease_id = ${leaseId} AND d.attempt = g.n`;
  await query`
    WITH given AS MATERIALIZED (
      SELECT (${accountIds}::uuid[])[g.w] AS a, (${[...endpoints.keys()]}::uuid[])[g.w] AS w, (${[...types.keys()]}::text[])[g.t] AS t,
        g.e, g.i, g.n, g.s, g.c, texts[g.x] AS x, g.d, texts[g.b] AS b, to_timestamp(g.at / 1000) AS at, g.o, to_timestamp(g.next / 1000) AS next, g.place
      -- The planner reads none of this: it would take the arrays apart once more, only to count what is in them.
      FROM (SELECT ${endpointColumn}::text::integer[] AS w, ${typeColumn}::text::integer[] AS t,
        ${column(({ eventId }) => eventId)}::text::uuid[] AS e, ${column(({ id }) => id)}::text::uuid[] AS i,
        ${column(({ attempt }) => attempt)}::text::integer[] AS n, ${column(({ succeeded }) => succeeded)}::text::boolean[] AS s,
        ${column(({ statusCode }) => statusCode)}::text::integer[] AS c, ${errorColumn}::text::integer[] AS x,
        ${column(({ durationMs }) => durationMs)}::text::integer[] AS d, ${bodyColumn}::text::integer[] AS b,
        ${column(({ createdAt }) => createdAt.getTime())}::text::double precision[] AS at, ${column(({ nextId }) => nextId)}::text::uuid[] AS o,
        ${column(({ nextAttemptAt }) => nextAttemptAt?.getTime() ?? null)}::text::double precision[] AS next,
        ${column(({ place }) => (place === undefined ? null : `"${place}"`))}::text::tid[] AS place,
        ARRAY(SELECT json_array_elements_text(${JSON.stringify([...texts.keys()])}::text::json)) AS texts OFFSET 0) AS c,
        unnest(c.w, c.t, c.e, c.i, c.n, c.s, c.c, c.x, c.d, c.b, c.at, c.o, c.next, c.place) AS g (w, t, e, i, n, s, c, x, d, b, at, o, next, place)
    ),
    -- Most are where they were when they were taken; those that somebody has written to since are looked for.
    finished AS (
      DELETE FROM webhook_deliveries d USING given g WHERE d.ctid = g.place AND ${isHeld} AND ${isOver} RETURNING g.i
    ),
    others AS MATERIALIZED (SELECT * FROM given g WHERE NOT EXISTS (SELECT FROM finished f WHERE f.i = g.i)),
    found AS (
      DELETE FROM webhook_deliveries d USING others g WHERE ${isHeld} AND ${isOver} RETURNING g.i
    ),
    -- Whatever is held and did not go. What was asked for in this very moment comes here, too: a row that changes is looked at again.
    postponed AS (
      UPDATE webhook_deliveries d SET id = coalesce(g.o, uuid_v7(${now})), attempt = g.n + 1, created_at = ${now},
        step = CASE WHEN d.asked_at IS NULL THEN d.step + 1 ELSE 0 END,
        next_at = CASE WHEN d.asked_at IS NULL THEN coalesce(g.next, ${now}) ELSE ${now} END,
        asked_at = NULL, lease_id = NULL, lease_until = NULL
      FROM others g WHERE ${isHeld} AND NOT EXISTS (SELECT FROM found f WHERE f.i = g.i)
    )
    INSERT INTO webhook_attempts (account_id, endpoint_id, id, event_id, event_type, attempt, succeeded, status_code, error, duration_ms,
      response_body, created_at)
    SELECT a, w, i, e, t, n, s, c, x, d, b, at FROM given`.catch((error: unknown) => {
    // Written by a former try whose answer was lost, all of it: then there is nothing left to do.
    if (!isUniqueViolation(error)) throw error;
  });
}

/** The number of a value in an array of Postgres', whose first is 1; given to it the first time that it is seen. */
function placeOf(places: Map<string, number>, value: string): number {
  const known = places.get(value);
  if (known !== undefined) return known;
  places.set(value, places.size + 1);
  return places.size;
}

/** Gives back what was taken and not begun. */
export async function releaseDeliveries(
  query: Query,
  leaseId: string,
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  const rows = deliveries.map(({ accountId, endpointId, eventId }) => ({ a: accountId, w: endpointId, e: eventId }));
  await query`
    UPDATE webhook_deliveries d SET lease_id = NULL, lease_until = NULL
    FROM json_to_recordset(${JSON.stringify(rows)}::text::json) AS g (a uuid, w uuid, e uuid)
    WHERE d.account_id = g.a AND d.endpoint_id = g.w AND d.event_id = g.e AND d.lease_id = ${leaseId}`;
}

export interface DeliveryFilter {
  readonly accountId: string;
  readonly endpointId: string;
  readonly eventType: string | null;
  readonly status: 'succeeded' | 'failed' | 'pending' | null;
  readonly eventId: string | null;
  readonly since: Date | null;
  readonly until: Date | null;
}

export interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly attempt: number;
  readonly status: 'succeeded' | 'failed' | 'pending';
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number | null;
  readonly responseBody: string | null;
  readonly createdAt: Date;
  readonly nextAttemptAt: Date | null;
}

/** One page of the attempts at an endpoint, those that wait included, newest first. */
export async function listDeliveries(
  query: Query,
  filter: DeliveryFilter & { readonly before: string | null; readonly limit: number },
): Promise<readonly DeliveryRow[]> {
  const { before, limit } = filter;
  const behind = before === null ? query`` : query`AND x.id < ${before}`;
  return await query<DeliveryRow[]>`
    SELECT * FROM (
      (SELECT x.id, x.event_id AS "eventId", x.event_type AS "eventType", x.attempt,
        CASE WHEN x.succeeded THEN 'succeeded' ELSE 'failed' END AS status, x.status_code AS "statusCode", x.error,
        x.duration_ms AS "durationMs", x.response_body AS "responseBody", x.created_at AS "createdAt",
        (SELECT d.next_at FROM webhook_deliveries d WHERE d.account_id = x.account_id AND d.endpoint_id = x.endpoint_id
          AND d.event_id = x.event_id AND d.attempt = x.attempt + 1) AS "nextAttemptAt"
      FROM webhook_attempts x WHERE ${matchesMade(query, filter)} ${behind} ORDER BY x.id DESC LIMIT ${limit})
      UNION ALL
      (SELECT x.id, x.event_id, x.event_type, x.attempt, 'pending', NULL, NULL, NULL, NULL, x.created_at, x.next_at
      FROM webhook_deliveries x WHERE ${matchesWaiting(query, filter)} ${behind} ORDER BY x.id DESC LIMIT ${limit})) AS page
    ORDER BY id DESC LIMIT ${limit}`;
}

/** Counts matches, but never past `cap`. */
export async function countDeliveries(
  query: Query,
  filter: DeliveryFilter & { readonly cap: number },
): Promise<number> {
  const [row] = await query<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      (SELECT 1 FROM webhook_attempts x WHERE ${matchesMade(query, filter)} LIMIT ${filter.cap})
      UNION ALL
      (SELECT 1 FROM webhook_deliveries x WHERE ${matchesWaiting(query, filter)} LIMIT ${filter.cap})
      LIMIT ${filter.cap}) AS matches`;
  return row?.count ?? 0;
}

function matchesMade(query: Query, filter: DeliveryFilter) {
  const { status, since } = filter;
  return query`${matches(query, filter)}
    ${status === null ? query`` : status === 'pending' ? query`AND false` : query`AND x.succeeded = ${status === 'succeeded'}`}
    ${since === null ? query`` : query`AND x.id >= uuid_v7_lower_bound(${since})`}`;
}

function matchesWaiting(query: Query, filter: DeliveryFilter) {
  const { status } = filter;
  return query`${matches(query, filter)} ${status === null || status === 'pending' ? query`` : query`AND false`}`;
}

function matches(query: Query, { accountId, endpointId, eventType, eventId, since, until }: DeliveryFilter) {
  return query`x.account_id = ${accountId} AND x.endpoint_id = ${endpointId}
    ${eventType === null ? query`` : query`AND x.event_type = ${eventType}`}
    ${eventId === null ? query`` : query`AND x.event_id = ${eventId}`}
    ${since === null ? query`` : query`AND x.created_at >= ${since}`}
    ${until === null ? query`` : query`AND x.created_at < ${until}`}`;
}

/** The event of one attempt, made or waiting; null where the endpoint has none of that id. */
export async function readDeliveryEvent(
  query: Query,
  { accountId, endpointId, id }: { readonly accountId: string; readonly endpointId: string; readonly id: string },
): Promise<string | null> {
  const [row] = await query<{ eventId: string }[]>`
    SELECT event_id AS "eventId" FROM webhook_attempts WHERE account_id = ${accountId} AND endpoint_id = ${endpointId} AND id = ${id}
    UNION ALL
    SELECT event_id FROM webhook_deliveries WHERE account_id = ${accountId} AND endpoint_id = ${endpointId} AND id = ${id}
    LIMIT 1`;
  return row?.eventId ?? null;
}

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

/** How many events a selection holds. */
export async function countReplay(query: Query, selection: ReplaySelection): Promise<number> {
  const [row] = await query<
    { count: number }[]
  >`SELECT count(*)::int AS count FROM (${selected(query, selection)}) AS s`;
  return row?.count ?? 0;
}

/** Ids of up to `limit` events of a selection behind an id, oldest first. */
export async function readReplay(
  query: Query,
  selection: ReplaySelection,
  after: string | null,
  limit: number,
): Promise<readonly string[]> {
  const rows = await query<{ id: string }[]>`
    ${selected(query, selection)} ${after === null ? query`` : query`AND e.id > ${after}`} ORDER BY e.id LIMIT ${limit}`;
  return rows.map(({ id }) => id);
}

function selected(query: Query, { accountId, endpointId, since, until, types, ids, status }: ReplaySelection) {
  const taken = query`EXISTS (SELECT FROM webhook_attempts x
    WHERE x.account_id = ${accountId} AND x.endpoint_id = ${endpointId} AND x.event_id = e.id AND x.succeeded)`;
  return query`
    SELECT e.id FROM webhook_events e JOIN webhook_endpoints w ON w.account_id = e.account_id AND w.id = ${endpointId}
    WHERE e.account_id = ${accountId} AND e.created_at >= ${since} AND e.created_at < ${until}
      AND e.id >= uuid_v7_lower_bound(${since}::timestamptz - interval '1 minute')
      AND CASE WHEN e.endpoint_id IS NULL THEN w.events = '{}' OR e.type = ANY (w.events) ELSE e.endpoint_id = w.id END
      ${types === null ? query`` : query`AND e.type = ANY (${[...types]}::text[])`}
      ${ids === null ? query`` : query`AND e.id = ANY (${[...ids]}::uuid[])`}
      ${status === null ? query`` : status === 'succeeded' ? query`AND ${taken}` : query`AND NOT ${taken}`}`;
}

/**
 * Queues events for an endpoint, due at once and with the whole schedule before them; those that wait already are due at once too. Where an
 * attempt may be under way it is noted when this was asked for, so that the end of that attempt does not end it.
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
  const rows = await query`
    INSERT INTO webhook_deliveries AS d (account_id, endpoint_id, event_id, id, event_type, attempt, step, next_at, created_at)
    SELECT e.account_id, ${endpointId}, e.id, uuid_v7(${now}), e.type, 1 + coalesce((SELECT max(x.attempt) FROM webhook_attempts x
      WHERE x.account_id = ${accountId} AND x.endpoint_id = ${endpointId} AND x.event_id = e.id), 0), 0, ${now}, ${now}
    FROM webhook_events e WHERE e.account_id = ${accountId} AND e.id = ANY (${[...eventIds]}::uuid[])
    ON CONFLICT (account_id, endpoint_id, event_id) DO UPDATE SET step = 0, next_at = least(d.next_at, excluded.next_at),
      asked_at = CASE WHEN d.lease_until > ${now} THEN ${now}::timestamptz END
    RETURNING 1`;
  return rows.length;
}
