import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { nullable, pg, returning } from '../result.ts';
import { messageEvents, messages, messageTracking } from '../schema/messages.ts';
import { defineStatement, value } from '../statement.ts';

const readLink = defineStatement(
  { accountId: messageTracking.accountId, messageId: messageTracking.messageId, place: value<number>() },
  ({ accountId, messageId, place }) =>
    returning(
      { url: nullable(pg.text) },
      sql`SELECT links[${place}::int] AS url FROM message_tracking WHERE account_id = ${accountId} AND message_id = ${messageId}`,
    ),
);

/** The URL of a tracked link by its index; null if the message or the link is unknown. */
export async function readTrackedLink(
  query: Query,
  { accountId, messageId, link }: { readonly accountId: string; readonly messageId: string; readonly link: number },
): Promise<string | null> {
  const [row] = await readLink(query, { accountId, messageId, place: link + 1 });
  return row?.url ?? null;
}

const GIVEN = {
  n: messageEvents.seq,
  account: messageEvents.accountId,
  message: messageEvents.messageId,
  id: messageEvents.id,
  type: messageEvents.type,
  detail: messageEvents.detail,
  at: messageEvents.createdAt,
};

/** An open or click to record. The names are those of the statement. */
export interface NewTrackingEvent extends Omit<RecordOf<typeof GIVEN>, 'n' | 'at'> {
  readonly type: 'opened' | 'clicked';
  readonly at: string;
}

const insert = defineStatement({ events: value<string>(), max: value<number>() }, ({ events, max }) =>
  returning(
    { message: messages.id },
    sql`
    WITH given AS MATERIALIZED (
      SELECT g.* FROM json_to_recordset(${events}::text::json) AS g (${sql.raw(recordColumns(GIVEN))})
      JOIN accounts a ON a.id = g.account AND CASE g.type WHEN 'opened' THEN a.track_opens ELSE a.track_clicks END
    ),
    known AS MATERIALIZED (
      SELECT m.account_id, m.id FROM messages m
      WHERE (m.account_id, m.id) IN (SELECT account, message FROM given)
    ),
    locked AS MATERIALIZED (
      SELECT m.account_id, m.id, m.event_count FROM messages m
      WHERE (m.account_id, m.id) IN (SELECT account, message FROM given)
      ORDER BY m.id
      FOR UPDATE SKIP LOCKED
    ),
    ranked AS (
      SELECT g.*, l.event_count, row_number() OVER (PARTITION BY g.account, g.message, g.type ORDER BY g.n) AS nth
      FROM given g JOIN locked l ON l.account_id = g.account AND l.id = g.message
    ),
    kept AS MATERIALIZED (
      SELECT r.*, row_number() OVER (PARTITION BY r.account, r.message ORDER BY r.n) AS place FROM ranked r
      WHERE r.nth + (SELECT count(*) FROM message_events e
        WHERE e.account_id = r.account AND e.message_id = r.message AND e.type = r.type) <= ${max}
    ),
    events AS (
      INSERT INTO message_events (account_id, message_id, seq, id, type, recipient, detail, created_at)
      SELECT k.account, k.message, k.event_count + k.place, k.id, k.type,
        (SELECT min(r.email) FROM message_recipients r WHERE r.account_id = k.account AND r.message_id = k.message HAVING count(*) = 1),
        k.detail, k.at
      FROM kept k
    ),
    counted AS (
      UPDATE messages m SET event_count = k.event_count + k.places
      FROM (SELECT account, message, event_count, max(place) AS places FROM kept GROUP BY account, message, event_count) k
      WHERE m.account_id = k.account AND m.id = k.message
    ),
    to_count AS (
      INSERT INTO count_backlog (account_id, message_ids) SELECT account, array_agg(DISTINCT message) FROM kept GROUP BY account
    )
    SELECT known.id AS message FROM known LEFT JOIN locked USING (account_id, id) WHERE locked.id IS NULL`,
  ),
);

/**
 * Appends opens and clicks to their messages' events; the status does not change. A message keeps `max` of each type, and none while its
 * account has the switch off. Never waits for a lock, because delivery statements lock several messages each. Returns the messages that
 * were locked: submit their events again.
 */
export async function insertTrackingEvents(
  query: Query,
  events: readonly NewTrackingEvent[],
  max: number,
): Promise<readonly string[]> {
  const given = events.map((event, n) => ({ n, ...event }));
  const rows = await insert(query, { events: JSON.stringify(given), max });
  return rows.map(({ message }) => message);
}
