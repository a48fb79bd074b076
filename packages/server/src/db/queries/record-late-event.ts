import type { Query } from '../client.ts';

/** One recipient of a message and the others' statuses, as one snapshot. */
export interface LateEventFacts {
  readonly eventCount: number;
  readonly recipient: string;
  readonly statuses: readonly { readonly ordinal: number; readonly status: string }[];
  /** Events of the type that the recipient has already. */
  readonly alike: number;
}

/** What is known of a message when a report about one of its recipients comes; null where there is no such message or recipient. */
export async function readLateEventFacts(
  query: Query,
  accountId: string,
  messageId: string,
  { ordinal, type }: { readonly ordinal: number; readonly type: string },
): Promise<LateEventFacts | null> {
  const [row] = await query<LateEventFacts[]>`
    SELECT m.event_count AS "eventCount", r.email AS recipient,
      (SELECT json_agg(json_build_object('ordinal', o.ordinal, 'status', o.status)) FROM message_recipients o
        WHERE o.account_id = m.account_id AND o.message_id = m.id) AS statuses,
      (SELECT count(*)::int FROM message_events e
        WHERE e.account_id = m.account_id AND e.message_id = m.id AND e.type = ${type} AND e.recipient = r.email) AS alike
    FROM messages m JOIN message_recipients r ON r.account_id = m.account_id AND r.message_id = m.id AND r.ordinal = ${ordinal}
    WHERE m.account_id = ${accountId} AND m.id = ${messageId}`;
  return row ?? null;
}

/** A late event as it is written: statuses and words are decided. */
export interface LateEventRow {
  readonly accountId: string;
  readonly messageId: string;
  /** The message's events when it was read. */
  readonly seen: number;
  readonly ordinal: number;
  readonly recipientStatus: string;
  readonly messageStatus: string;
  /** Null leaves the former one standing. */
  readonly lastError: string | null;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly recipient: string;
    readonly classification: string | null;
    readonly detail: string | null;
    readonly at: Date;
  };
}

/** Writes a late event; false, with nothing written, where the message had further events than were seen: it has to be decided anew. */
export async function writeLateEvent(query: Query, row: LateEventRow): Promise<boolean> {
  const { accountId, messageId, seen, ordinal, event } = row;
  const rows = await query`
    WITH shown AS (
      UPDATE messages SET status = ${row.messageStatus}, event_count = event_count + 1,
        last_error = coalesce(${row.lastError}::text, last_error)
      WHERE account_id = ${accountId} AND id = ${messageId} AND event_count = ${seen}
      RETURNING account_id, id, event_count
    ),
    settled AS (
      UPDATE message_recipients r SET status = ${row.recipientStatus} FROM shown
      WHERE r.account_id = shown.account_id AND r.message_id = shown.id AND r.ordinal = ${ordinal}
    ),
    to_count AS (
      INSERT INTO count_backlog (account_id, message_ids) SELECT account_id, ARRAY[id] FROM shown
    )
    INSERT INTO message_events (account_id, message_id, seq, id, type, recipient, classification, detail, created_at)
    SELECT account_id, id, event_count, ${event.id}, ${event.type}, ${event.recipient}, ${event.classification}, ${event.detail}, ${event.at}
    FROM shown RETURNING 1`;
  return rows.length > 0;
}
