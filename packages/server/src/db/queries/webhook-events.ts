import type { Query } from '../client.ts';
import { getTableColumns, type SQL, sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { executing, pg, returning } from '../result.ts';
import { messageEvents, messages } from '../schema/messages.ts';
import { eventBacklog, eventTakers, webhookEvents } from '../schema/webhooks.ts';
import { defineStatement, optional, type RowOf, value } from '../statement.ts';

const EVENT = {
  accountId: webhookEvents.accountId,
  id: webhookEvents.id,
  type: webhookEvents.type,
  /** The JSON text that is signed and sent. */
  body: webhookEvents.body,
  /** If set, the event is for this endpoint only, whatever its filter. */
  endpointId: webhookEvents.endpointId,
  createdAt: webhookEvents.createdAt,
};

/** An event to deliver to an account's endpoints. */
export type StoredEvent = RecordOf<typeof EVENT>;

const store = defineStatement({ events: value<string>(), now: value<Date>() }, ({ events, now }) =>
  executing(sql`
    WITH given AS MATERIALIZED (
      SELECT g.* FROM json_to_recordset(${events}::text::json) AS g (${sql.raw(recordColumns(EVENT))})
      WHERE g."accountId" IN (SELECT t.account_id FROM event_takers t WHERE t.has_endpoints OR t.streaming_until > now())
    ),
    stored AS (
      INSERT INTO webhook_events (account_id, id, type, endpoint_id, body, created_at, stored_at, stored_by, stored_beside)
      SELECT "accountId", id, type, "endpointId", body, "createdAt", clock_timestamp(), pg_current_xact_id(),
        (SELECT pg_snapshot_xmin(pg_current_snapshot()))
      FROM given
      ON CONFLICT (account_id, id) DO NOTHING RETURNING account_id, id, type, endpoint_id
    )
    INSERT INTO webhook_deliveries (account_id, endpoint_id, event_id, id, event_type, attempt, step, next_at, created_at)
    SELECT s.account_id, w.id, s.id, uuid_v7(${now}), s.type, 1, 0, ${now}, ${now}
    FROM stored s JOIN webhook_endpoints w ON w.account_id = s.account_id
    WHERE w.status = 'enabled'
      AND CASE WHEN s.endpoint_id IS NULL THEN w.events = '{}' OR s.type = ANY (w.events) ELSE w.id = s.endpoint_id END
    ON CONFLICT (account_id, endpoint_id, event_id) DO NOTHING`),
);

/**
 * Stores events and queues them for the account's enabled endpoints whose filter matches. Leaves out events of accounts without endpoints
 * or listeners, and events that exist already. Call it in the transaction of the change that the events report.
 */
export async function storeEvents(query: Query, events: readonly StoredEvent[], now: Date): Promise<void> {
  if (events.length > 0) await store(query, { events: JSON.stringify(events), now });
}

const BACKLOG = getTableColumns(eventBacklog);

const take = defineStatement({ limit: value<number>() }, ({ limit }) =>
  returning(
    BACKLOG,
    sql`
      DELETE FROM event_backlog WHERE ctid = ANY (ARRAY(SELECT ctid FROM event_backlog LIMIT ${limit} FOR UPDATE SKIP LOCKED))
      RETURNING account_id AS "accountId", message_id AS "messageId", seq`,
  ),
);

// Looks up each row by primary key, whatever the planner assumes about tables without statistics.
const readTaken = defineStatement({ taken: value<string>() }, ({ taken }) =>
  returning(
    {
      accountId: messageEvents.accountId,
      emailId: messageEvents.messageId,
      id: messageEvents.id,
      seq: messageEvents.seq,
      type: messageEvents.type,
      recipient: messageEvents.recipient,
      classification: messageEvents.classification,
      detail: messageEvents.detail,
      occurredAt: messageEvents.createdAt,
      from: messages.fromGiven,
      to: messages.toLine,
      subject: messages.subject,
      tags: messages.tags,
      metadata: messages.metadata,
      channel: messages.channel,
      source: messages.source,
      agentName: messages.agentName,
      /** Whether the message was held and no user had approved it by this event. */
      isWithheld: pg.bool,
    },
    sql`
      SELECT x.* FROM json_to_recordset(${taken}::text::json) AS t (${sql.raw(recordColumns(BACKLOG))})
      CROSS JOIN LATERAL (
        SELECT e.account_id AS "accountId", e.message_id AS "emailId", e.id, e.seq, e.type, e.recipient, e.classification, e.detail,
          e.created_at AS "occurredAt", m.from_given AS "from", m.to_line AS "to", m.subject, m.tags, m.metadata, m.channel, m.source,
          m.agent_name AS "agentName",
          (SELECT f.type = 'pending_approval' FROM message_events f
            WHERE f.account_id = t."accountId" AND f.message_id = t."messageId" AND f.seq = 1)
          AND NOT EXISTS (SELECT FROM message_events p WHERE p.account_id = t."accountId" AND p.message_id = t."messageId"
            AND p.type = 'approved' AND p.seq <= t.seq) AS "isWithheld"
        FROM message_events e JOIN messages m ON m.account_id = t."accountId" AND m.id = t."messageId"
        WHERE e.account_id = t."accountId" AND e.message_id = t."messageId" AND e.seq = t.seq OFFSET 0) AS x`,
  ),
);

/** An event of a message that waits to become an event of the account. */
export type MessageEventRow = RowOf<typeof readTaken>;

/** Takes events of messages out of the backlog; the same transaction must store them, or they are lost. Null if the backlog is empty. */
export async function takeEventBacklog(transaction: Query, limit: number): Promise<readonly MessageEventRow[] | null> {
  const taken = await take(transaction, { limit });
  return taken.length === 0 ? null : await readTaken(transaction, { taken: JSON.stringify(taken) });
}

const look = defineStatement({}, () =>
  returning({ exists: pg.bool }, sql`SELECT EXISTS (SELECT FROM event_backlog) AS "exists"`),
);

/** Whether there is anything in the backlog. */
export async function hasEventBacklog(query: Query): Promise<boolean> {
  const [row] = await look(query, {});
  return row?.exists === true;
}

/** The maximum time between the statement that stores an event and the end of its transaction. */
export const STORED_WITHIN_MS = 60_000;

const WITHIN = sql`${STORED_WITHIN_MS} * interval '1 millisecond'`;

const mark = defineStatement({}, () =>
  returning(
    { at: pg.timestamptz, snapshot: pg.text },
    sql`SELECT now() AS at, pg_current_snapshot()::text AS snapshot`,
  ),
);

/** A moment and the transactions that had ended then. Uses the database's clock, because the clocks of several processes differ. */
export type StoredMark = RowOf<typeof mark>;

export async function readStoredMark(query: Query): Promise<StoredMark> {
  const [row] = await mark(query, {});
  if (row === undefined) throw new Error('the database did not return its time');
  return row;
}

const MARK = { markedAt: value<Date>(), snapshot: value<string>() };

/**
 * Whether an event was visible at a mark. An event stored long before the mark was visible, whatever its transaction number: numbers start
 * again in a database that was restored elsewhere.
 */
function isStoredAt({ markedAt, snapshot }: { readonly markedAt: SQL; readonly snapshot: SQL }) {
  return sql`(e.stored_at IS NULL OR e.stored_at < ${markedAt}::timestamptz - ${WITHIN}
    OR pg_visible_in_snapshot(e.stored_by, ${snapshot}::text::pg_snapshot))`;
}

const readAfter = defineStatement(
  { ...MARK, accountId: webhookEvents.accountId, afterId: webhookEvents.id, limit: value<number>() },
  ({ accountId, afterId, limit, ...given }) =>
    returning(
      {
        id: webhookEvents.id,
        type: webhookEvents.type,
        body: webhookEvents.body,
        createdAt: webhookEvents.createdAt,
        /** Null for events from before this was recorded. */
        storedAt: webhookEvents.storedAt,
      },
      sql`
        SELECT e.id, e.type, e.body, e.created_at AS "createdAt", e.stored_at AS "storedAt" FROM webhook_events e
        WHERE e.account_id = ${accountId} AND e.id > ${afterId} AND e.endpoint_id IS NULL AND ${isStoredAt(given)}
        ORDER BY e.id LIMIT ${limit}`,
    ),
);

export type EventRow = RowOf<typeof readAfter>;

/** The account's events with ids after this one that were stored at the mark, oldest first, except those for a single endpoint. */
export async function readEventsAfter(
  query: Query,
  { accountId, mark: { at: markedAt, snapshot } }: { readonly accountId: string; readonly mark: StoredMark },
  afterId: string,
  limit: number,
): Promise<readonly EventRow[]> {
  return await readAfter(query, { accountId, markedAt, snapshot, afterId, limit });
}

const readLate = defineStatement(
  {
    ...MARK,
    accountId: webhookEvents.accountId,
    eventId: webhookEvents.id,
    idTime: value<Date>(),
    after: optional(webhookEvents.id),
    limit: value<number>(),
  },
  ({ accountId, eventId, idTime, after, limit, ...given }) =>
    returning(
      { id: webhookEvents.id },
      sql`
        WITH event AS (SELECT t.stored_at, t.stored_by, t.stored_beside FROM webhook_events t WHERE t.account_id = ${accountId} AND t.id = ${eventId}),
        anchor AS (
          SELECT * FROM event UNION ALL SELECT ${idTime}::timestamptz, NULL, NULL WHERE NOT EXISTS (SELECT FROM event)
        )
        SELECT e.id FROM anchor JOIN webhook_events e ON e.account_id = ${accountId} AND e.stored_at > anchor.stored_at - ${WITHIN}
        WHERE e.id < ${eventId} AND e.endpoint_id IS NULL AND ${isStoredAt(given)}
          AND CASE WHEN anchor.stored_by IS NULL THEN e.stored_at > anchor.stored_at
            ELSE e.stored_at > anchor.stored_at + ${WITHIN} OR (e.stored_by >= anchor.stored_beside AND e.stored_by <> anchor.stored_by) END
          ${after && sql`AND e.id > ${after}`}
        ORDER BY e.id LIMIT ${limit}`,
    ),
);

/**
 * Events with a smaller id than this one that a client may have missed: their transaction had not ended when this one was stored. An event
 * stored a minute later was not visible, whatever its transaction number, because these start again in a database restored elsewhere.
 * If there is no event with this id, a stream began at it, and `idTime` counts. Oldest first, after `after`; null: from the first one.
 */
export async function readLateEventIds(
  query: Query,
  position: {
    readonly accountId: string;
    readonly eventId: string;
    readonly idTime: Date;
    readonly mark: StoredMark;
  },
  after: string | null,
  limit: number,
): Promise<readonly string[]> {
  const { accountId, eventId, idTime, mark: stored } = position;
  const { at: markedAt, snapshot } = stored;
  const rows = await readLate(query, { accountId, eventId, idTime, markedAt, snapshot, after, limit });
  return rows.map(({ id }) => id);
}

const keep = defineStatement({ accountId: eventTakers.accountId, forMs: value<number>() }, ({ accountId, forMs }) =>
  executing(sql`
    INSERT INTO event_takers AS t (account_id, streaming_until) VALUES (${accountId}, now() + ${forMs} * interval '1 millisecond')
    ON CONFLICT (account_id) DO UPDATE SET streaming_until = greatest(t.streaming_until, excluded.streaming_until)`),
);

/** Has the account's events stored for this long from now on, even if it has no endpoint. A listener must renew this in time. */
export async function keepStreaming(query: Query, accountId: string, forMs: number): Promise<void> {
  await keep(query, { accountId, forMs });
}
