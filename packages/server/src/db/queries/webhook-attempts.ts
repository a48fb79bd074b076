import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { narrowed, nullable, pg, returning } from '../result.ts';
import { webhookAttempts, webhookDeliveries } from '../schema/webhooks.ts';
import { defineStatement, type GivenOf, optional, type RowOf, value } from '../statement.ts';

type Attempt = typeof webhookAttempts.$inferSelect;
type DeliveryStatus = 'succeeded' | 'failed' | 'pending';

/** Selects attempts, made or waiting; null selects all. */
export interface DeliveryFilter extends Pick<Attempt, 'accountId' | 'endpointId'> {
  readonly eventType: string | null;
  readonly status: DeliveryStatus | null;
  readonly eventId: string | null;
  readonly since: Date | null;
  readonly until: Date | null;
}

const FILTER = {
  accountId: webhookAttempts.accountId,
  endpointId: webhookAttempts.endpointId,
  id: optional(webhookAttempts.id),
  eventType: optional(value<string>()),
  eventId: optional(webhookAttempts.eventId),
  since: optional(webhookAttempts.createdAt),
  until: optional(webhookAttempts.createdAt),
  /** For attempts that were made. */
  succeeded: optional(webhookAttempts.succeeded),
  showsMade: value<boolean>(),
  showsWaiting: value<boolean>(),
};

function toGiven({ status, ...filter }: DeliveryFilter) {
  return {
    id: null,
    ...filter,
    succeeded: status === null || status === 'pending' ? null : status === 'succeeded',
    showsMade: status !== 'pending',
    showsWaiting: status === null || status === 'pending',
  };
}

type Given = GivenOf<typeof FILTER>;

function matchesMade(given: Given): SQL {
  const { succeeded, since, showsMade } = given;
  return sql`${matches(given)} AND ${showsMade} ${succeeded && sql`AND x.succeeded = ${succeeded}`}
    ${since && sql`AND x.id >= uuid_v7_lower_bound(${since})`}`;
}

function matchesWaiting(given: Given): SQL {
  return sql`${matches(given)} AND ${given.showsWaiting}`;
}

function matches({ accountId, endpointId, id, eventType, eventId, since, until }: Given): SQL {
  return sql`x.account_id = ${accountId} AND x.endpoint_id = ${endpointId}
    ${id && sql`AND x.id = ${id}`}
    ${eventType && sql`AND x.event_type = ${eventType}`}
    ${eventId && sql`AND x.event_id = ${eventId}`}
    ${since && sql`AND x.created_at >= ${since}`}
    ${until && sql`AND x.created_at < ${until}`}`;
}

const list = defineStatement(
  { ...FILTER, before: optional(webhookAttempts.id), limit: value<number>() },
  ({ before, limit, ...filter }) => {
    const isBehind = before && sql`AND x.id < ${before}`;
    return returning(
      {
        id: webhookAttempts.id,
        eventId: webhookAttempts.eventId,
        eventType: webhookAttempts.eventType,
        attempt: webhookAttempts.attempt,
        status: narrowed<DeliveryStatus>(pg.text),
        statusCode: webhookAttempts.statusCode,
        error: webhookAttempts.error,
        durationMs: nullable(webhookAttempts.durationMs),
        responseBody: webhookAttempts.responseBody,
        createdAt: webhookAttempts.createdAt,
        nextAttemptAt: nullable(webhookDeliveries.nextAt),
      },
      sql`
        SELECT * FROM (
          (SELECT x.id, x.event_id AS "eventId", x.event_type AS "eventType", x.attempt,
            CASE WHEN x.succeeded THEN 'succeeded' ELSE 'failed' END AS status, x.status_code AS "statusCode", x.error,
            x.duration_ms AS "durationMs", x.response_body AS "responseBody", x.created_at AS "createdAt",
            (SELECT d.next_at FROM webhook_deliveries d WHERE d.account_id = x.account_id AND d.endpoint_id = x.endpoint_id
              AND d.event_id = x.event_id AND d.attempt = x.attempt + 1) AS "nextAttemptAt"
          FROM webhook_attempts x WHERE ${matchesMade(filter)} ${isBehind} ORDER BY x.id DESC LIMIT ${limit})
          UNION ALL
          (SELECT x.id, x.event_id, x.event_type, x.attempt, 'pending', NULL, NULL, NULL, NULL, x.created_at, x.next_at
          FROM webhook_deliveries x WHERE ${matchesWaiting(filter)} ${isBehind} ORDER BY x.id DESC LIMIT ${limit})) AS page
        ORDER BY id DESC LIMIT ${limit}`,
    );
  },
);

export type DeliveryRow = RowOf<typeof list>;

/** One page of the attempts at an endpoint, including waiting ones, newest first. */
export async function listDeliveries(
  query: Query,
  { before, limit, ...filter }: DeliveryFilter & { readonly before: string | null; readonly limit: number },
): Promise<readonly DeliveryRow[]> {
  return await list(query, { ...toGiven(filter), before, limit });
}

/** One attempt at an endpoint, made or waiting; null if there is none with that id. */
export async function readDelivery(
  query: Query,
  name: Pick<Attempt, 'accountId' | 'endpointId' | 'id'>,
): Promise<DeliveryRow | null> {
  const all = { status: null, eventType: null, eventId: null, since: null, until: null };
  const [row] = await list(query, { ...toGiven({ ...all, ...name }), before: null, limit: 1 });
  return row ?? null;
}

const count = asCount(
  defineStatement({ ...FILTER, cap: value<number>() }, ({ cap, ...filter }) =>
    countUpTo(
      cap,
      sql`
        (SELECT FROM webhook_attempts x WHERE ${matchesMade(filter)} LIMIT ${cap})
        UNION ALL
        (SELECT FROM webhook_deliveries x WHERE ${matchesWaiting(filter)} LIMIT ${cap})`,
    ),
  ),
);

/** Counts matches, but never past `cap`. */
export async function countDeliveries(
  query: Query,
  { cap, ...filter }: DeliveryFilter & { readonly cap: number },
): Promise<number> {
  return await count(query, { ...toGiven(filter), cap });
}

const readEvent = defineStatement(
  { accountId: webhookAttempts.accountId, endpointId: webhookAttempts.endpointId, id: webhookAttempts.id },
  ({ accountId, endpointId, id }) =>
    returning(
      { eventId: webhookAttempts.eventId },
      sql`
        SELECT event_id AS "eventId" FROM webhook_attempts WHERE account_id = ${accountId} AND endpoint_id = ${endpointId} AND id = ${id}
        UNION ALL
        SELECT event_id FROM webhook_deliveries WHERE account_id = ${accountId} AND endpoint_id = ${endpointId} AND id = ${id}
        LIMIT 1`,
    ),
);

/** The event of one attempt, made or waiting; null if the endpoint has none with that id. */
export async function readDeliveryEvent(
  query: Query,
  name: Pick<Attempt, 'accountId' | 'endpointId' | 'id'>,
): Promise<string | null> {
  const [row] = await readEvent(query, name);
  return row?.eventId ?? null;
}
