import type { Query } from '../client.ts';

/** An event on its way to an account's endpoints. */
export interface StoredEvent {
  readonly accountId: string;
  readonly id: string;
  readonly type: string;
  /** The JSON text that is signed and sent. */
  readonly body: string;
  /** Set: for this endpoint alone, whatever its filter. */
  readonly endpointId: string | null;
  readonly createdAt: Date;
}

/**
 * Stores events and queues them for the account's enabled endpoints whose filter lets them through. Events of accounts that have no endpoint,
 * and that nobody listens to, are left out; so are those that are there already. Belongs into the transaction of what the events tell of.
 */
export async function storeEvents(query: Query, events: readonly StoredEvent[], now: Date): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ accountId, id, type, body, endpointId, createdAt }) => ({
    ...{ account_id: accountId, id, type, body, endpoint_id: endpointId },
    created_at: createdAt.toISOString(),
  }));
  await query`
    WITH given AS MATERIALIZED (
      SELECT g.* FROM json_to_recordset(${JSON.stringify(rows)}::text::json)
        AS g (account_id uuid, id uuid, type text, body text, endpoint_id uuid, created_at timestamptz)
      WHERE g.account_id IN (SELECT t.account_id FROM event_takers t WHERE t.has_endpoints OR t.streaming_until > now())
    ),
    stored AS (
      INSERT INTO webhook_events (account_id, id, type, endpoint_id, body, created_at, stored_at, stored_by, stored_beside)
      SELECT account_id, id, type, endpoint_id, body, created_at, ${now}, pg_current_xact_id(),
        (SELECT pg_snapshot_xmin(pg_current_snapshot()))
      FROM given
      ON CONFLICT (account_id, id) DO NOTHING RETURNING account_id, id, type, endpoint_id
    )
    INSERT INTO webhook_deliveries (account_id, endpoint_id, event_id, id, event_type, attempt, step, next_at, created_at)
    SELECT s.account_id, w.id, s.id, uuid_v7(${now}), s.type, 1, 0, ${now}, ${now}
    FROM stored s JOIN webhook_endpoints w ON w.account_id = s.account_id
    WHERE w.status = 'enabled'
      AND CASE WHEN s.endpoint_id IS NULL THEN w.events = '{}' OR s.type = ANY (w.events) ELSE w.id = s.endpoint_id END
    ON CONFLICT (account_id, endpoint_id, event_id) DO NOTHING`;
}

/** An event of a message that waits to become one of the account. */
export interface MessageEventRow {
  readonly accountId: string;
  readonly emailId: string;
  readonly id: string;
  readonly seq: number;
  readonly type: string;
  readonly recipient: string | null;
  readonly classification: string | null;
  readonly detail: string | null;
  readonly occurredAt: Date;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly channel: string;
  readonly source: string;
  readonly agentName: string | null;
}

/** Takes events of messages out of the backlog; they are lost unless the transaction goes on to store them. Null where the backlog is empty. */
export async function takeEventBacklog(transaction: Query, limit: number): Promise<readonly MessageEventRow[] | null> {
  const taken = await transaction<{ account_id: string; message_id: string; seq: number }[]>`
    DELETE FROM event_backlog WHERE ctid = ANY (ARRAY(SELECT ctid FROM event_backlog LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING account_id, message_id, seq`;
  if (taken.length === 0) return null;
  // Looked up one by one, by the primary keys: whatever the planner thinks of tables it has no statistics of yet.
  return await transaction<MessageEventRow[]>`
    SELECT x.* FROM json_to_recordset(${JSON.stringify(taken)}::text::json) AS t (account_id uuid, message_id uuid, seq integer)
    CROSS JOIN LATERAL (
      SELECT e.account_id AS "accountId", e.message_id AS "emailId", e.id, e.seq, e.type, e.recipient, e.classification, e.detail,
        e.created_at AS "occurredAt", m.from_given AS "from", m.to_line AS "to", m.subject, m.tags, m.metadata, m.channel, m.source,
        m.agent_name AS "agentName"
      FROM message_events e JOIN messages m ON m.account_id = t.account_id AND m.id = t.message_id
      WHERE e.account_id = t.account_id AND e.message_id = t.message_id AND e.seq = t.seq OFFSET 0) AS x`;
}

/** Whether there is anything in the backlog. */
export async function hasEventBacklog(query: Query): Promise<boolean> {
  const [row] = await query<{ exists: boolean }[]>`SELECT EXISTS (SELECT FROM event_backlog)`;
  return row?.exists === true;
}

export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly createdAt: Date;
  /** Null of those that are from before this was noted. */
  readonly storedAt: Date | null;
}

/** Between the statement that stores an event and the end of its transaction lies less than that. */
export const STORED_WITHIN_MS = 60_000;

/** The account's stored events with ids behind this one, oldest first; those for one endpoint alone are not among them. */
export async function readEventsAfter(
  query: Query,
  accountId: string,
  afterId: string,
  limit: number,
): Promise<readonly EventRow[]> {
  return await query<EventRow[]>`
    SELECT id, type, body, created_at AS "createdAt", stored_at AS "storedAt" FROM webhook_events
    WHERE account_id = ${accountId} AND id > ${afterId} AND endpoint_id IS NULL ORDER BY id LIMIT ${limit}`;
}

/**
 * Ids of events that are older than this one by their ids, and were stored when it could have been told already: who followed the events up to
 * this one has not seen them. What was stored by a transaction that was over when this one was stored, or by the same one, was there to be seen
 * with it. Oldest first, behind `after`; null: from the first on.
 */
export async function readLateEventIds(
  query: Query,
  { accountId, eventId }: { readonly accountId: string; readonly eventId: string },
  after: string | null,
  limit: number,
): Promise<readonly string[]> {
  const rows = await query<{ id: string }[]>`
    SELECT e.id FROM webhook_events told JOIN webhook_events e ON e.account_id = told.account_id
      AND e.stored_at > told.stored_at - ${STORED_WITHIN_MS} * interval '1 millisecond'
    WHERE told.account_id = ${accountId} AND told.id = ${eventId} AND e.id < told.id AND e.endpoint_id IS NULL
      AND e.stored_by >= told.stored_beside AND e.stored_by <> told.stored_by
      ${after === null ? query`` : query`AND e.id > ${after}`}
    ORDER BY e.id LIMIT ${limit}`;
  return rows.map(({ id }) => id);
}

/** Has the account's events stored for so long from now on, also where it has no endpoint. Whoever listens says so again in time. */
export async function keepStreaming(query: Query, accountId: string, forMs: number): Promise<void> {
  await query`
    INSERT INTO event_takers AS t (account_id, streaming_until) VALUES (${accountId}, now() + ${forMs} * interval '1 millisecond')
    ON CONFLICT (account_id) DO UPDATE SET streaming_until = greatest(t.streaming_until, excluded.streaming_until)`;
}
