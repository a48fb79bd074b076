import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { executing, narrowed, pg, returning } from '../result.ts';
import { messageEvents, messageRecipients, messages } from '../schema/messages.ts';
import { defineStatement, type RowOf } from '../statement.ts';

const readFacts = defineStatement(
  {
    accountId: messages.accountId,
    messageId: messages.id,
    ordinal: messageRecipients.ordinal,
    type: messageEvents.type,
  },
  ({ accountId, messageId, ordinal, type }) =>
    returning(
      {
        eventCount: messages.eventCount,
        recipient: messageRecipients.email,
        statuses: narrowed<readonly Pick<typeof messageRecipients.$inferSelect, 'ordinal' | 'status'>[]>(pg.json),
        /** Events of this type that the recipient already has. */
        alike: pg.int4,
      },
      sql`
    SELECT m.event_count AS "eventCount", r.email AS recipient,
      (SELECT json_agg(json_build_object('ordinal', o.ordinal, 'status', o.status)) FROM message_recipients o
        WHERE o.account_id = m.account_id AND o.message_id = m.id) AS statuses,
      (SELECT count(*)::int FROM message_events e
        WHERE e.account_id = m.account_id AND e.message_id = m.id AND e.type = ${type} AND e.recipient = r.email) AS alike
    FROM messages m JOIN message_recipients r ON r.account_id = m.account_id AND r.message_id = m.id AND r.ordinal = ${ordinal}
    WHERE m.account_id = ${accountId} AND m.id = ${messageId}`,
    ),
);

/** One recipient of a message and the statuses of the others, as one snapshot. */
export type LateEventFacts = RowOf<typeof readFacts>;

/** What is known about a message when a report about one of its recipients arrives; null if there is no such message or recipient. */
export async function readLateEventFacts(
  query: Query,
  accountId: string,
  messageId: string,
  { ordinal, type }: { readonly ordinal: number; readonly type: typeof messageEvents.$inferSelect.type },
): Promise<LateEventFacts | null> {
  const [row] = await readFacts(query, { accountId, messageId, ordinal, type });
  return row ?? null;
}

/** A late event as it is written, with all statuses and texts decided. */
const LATE_EVENT = {
  accountId: messages.accountId,
  messageId: messages.id,
  /** The number of the message's events when it was read. */
  seen: messages.eventCount,
  ordinal: messageRecipients.ordinal,
  recipientStatus: messageRecipients.status,
  messageStatus: messages.status,
  /** Null keeps the previous one. */
  lastError: messages.lastError,
  eventId: messageEvents.id,
  type: messageEvents.type,
  recipient: messageEvents.recipient,
  classification: messageEvents.classification,
  detail: messageEvents.detail,
  at: messageEvents.createdAt,
};

const write = defineStatement(LATE_EVENT, (row) =>
  executing(sql`
    WITH shown AS (
      UPDATE messages SET status = ${row.messageStatus}, event_count = event_count + 1,
        last_error = coalesce(${row.lastError}::text, last_error)
      WHERE account_id = ${row.accountId} AND id = ${row.messageId} AND event_count = ${row.seen}
      RETURNING account_id, id, event_count
    ),
    settled AS (
      UPDATE message_recipients r SET status = ${row.recipientStatus} FROM shown
      WHERE r.account_id = shown.account_id AND r.message_id = shown.id AND r.ordinal = ${row.ordinal}
    ),
    to_count AS (
      INSERT INTO count_backlog (account_id, message_ids) SELECT account_id, ARRAY[id] FROM shown
    )
    INSERT INTO message_events (account_id, message_id, seq, id, type, recipient, classification, detail, created_at)
    SELECT account_id, id, event_count, ${row.eventId}, ${row.type}, ${row.recipient}, ${row.classification}, ${row.detail}, ${row.at}
    FROM shown`),
);

/** Writes a late event. False, with nothing written, if the message has more events than were seen: the caller must decide again. */
export async function writeLateEvent(query: Query, row: Parameters<typeof write>[1]): Promise<boolean> {
  return (await write(query, row)) > 0;
}
