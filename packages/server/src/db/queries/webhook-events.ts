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
      SELECT account_id, id, type, endpoint_id, body, created_at, clock_timestamp(), pg_current_xact_id(),
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
  /** Whether the message was held and no person had approved it by this event. */
  readonly isWithheld: boolean;
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
        m.agent_name AS "agentName",
        (SELECT f.type = 'pending_approval' FROM message_events f
          WHERE f.account_id = t.account_id AND f.message_id = t.message_id AND f.seq = 1)
        AND NOT EXISTS (SELECT FROM message_events p WHERE p.account_id = t.account_id AND p.message_id = t.message_id
          AND p.type = 'approved' AND p.seq <= t.seq) AS "isWithheld"
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

/** A moment, and which transactions were over then, by the database's own clock: those of several processes differ. */
export interface StoredMark {
  readonly at: Date;
  readonly snapshot: string;
}

export async function readStoredMark(query: Query): Promise<StoredMark> {
  const [mark] = await query<StoredMark[]>`SELECT now() AS at, pg_current_snapshot()::text AS snapshot`;
  if (mark === undefined) throw new Error('the database did not say what time it is');
  return mark;
}

/**
 * Whether an event was there to be seen at a mark. What was stored long before it was, whatever the number of its transaction: in a database
 * that was restored elsewhere these begin anew.
 */
function isStoredAt(query: Query, { at, snapshot }: StoredMark) {
  return query`(e.stored_at IS NULL OR e.stored_at < ${at}::timestamptz - ${STORED_WITHIN_MS} * interval '1 millisecond'
    OR pg_visible_in_snapshot(e.stored_by, ${snapshot}::text::pg_snapshot))`;
}

/**
 * The account's events with ids behind this one that were stored at the mark, oldest first; those for one endpoint alone are not among them.
 */
export async function readEventsAfter(
  query: Query,
  { accountId, mark }: { readonly accountId: string; readonly mark: StoredMark },
  afterId: string,
  limit: number,
): Promise<readonly EventRow[]> {
  return await query<EventRow[]>`
    SELECT e.id, e.type, e.body, e.created_at AS "createdAt", e.stored_at AS "storedAt" FROM webhook_events e
    WHERE e.account_id = ${accountId} AND e.id > ${afterId} AND e.endpoint_id IS NULL AND ${isStoredAt(query, mark)}
    ORDER BY e.id LIMIT ${limit}`;
}

/**
 * Ids of events that are older than this one by their ids, and were stored when it could have been told already: who followed the events up to
 * this one has not seen them. What was stored by a transaction that was over when this one was stored, or by the same one, was there to be seen
 * with it; what was stored a minute behind it was not, and there the numbers of transactions are left alone: they begin anew in a database that
 * is restored elsewhere. Where there is no such event, the id is where a stream began, and counts by its time, `idTime`. Oldest first, behind
 * `after`; null: from the first on.
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
  const { accountId, eventId, mark } = position;
  const within = query`${STORED_WITHIN_MS} * interval '1 millisecond'`;
  const rows = await query<{ id: string }[]>`
    WITH event AS (SELECT t.stored_at, t.stored_by, t.stored_beside FROM webhook_events t WHERE t.account_id = ${accountId} AND t.id = ${eventId}),
    told AS (
      SELECT * FROM event UNION ALL SELECT ${position.idTime}::timestamptz, NULL, NULL WHERE NOT EXISTS (SELECT FROM event)
    )
    SELECT e.id FROM told JOIN webhook_events e ON e.account_id = ${accountId} AND e.stored_at > told.stored_at - ${within}
    WHERE e.id < ${eventId} AND e.endpoint_id IS NULL AND ${isStoredAt(query, mark)}
      AND CASE WHEN told.stored_by IS NULL THEN e.stored_at > told.stored_at
        ELSE e.stored_at > told.stored_at + ${within} OR (e.stored_by >= told.stored_beside AND e.stored_by <> told.stored_by) END
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
