import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { executing } from '../result.ts';
import { messageEvents, messageRecipients, messages } from '../schema/messages.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const NAME = {
  accountId: messageRecipients.accountId,
  messageId: messageRecipients.messageId,
  ordinal: messageRecipients.ordinal,
};

/** A recipient by account, message and position in the message. */
export type RecipientName = Pick<typeof messageRecipients.$inferSelect, keyof typeof NAME>;

const read = defineStatement(NAME, ({ accountId, messageId, ordinal }) =>
  builder
    .select(
      named({
        email: messageRecipients.email,
        /** The message's sender as given. */
        from: messages.fromGiven,
      }),
    )
    .from(messages)
    .innerJoin(
      messageRecipients,
      and(eq(messageRecipients.accountId, messages.accountId), eq(messageRecipients.messageId, messages.id)),
    )
    .where(and(eq(messages.accountId, accountId), eq(messages.id, messageId), eq(messageRecipients.ordinal, ordinal))),
);

export type RecipientRow = RowOf<typeof read>;

/** One recipient of a message that is still in the log; null if there is none. */
export async function readRecipient(query: Query, name: RecipientName): Promise<RecipientRow | null> {
  const [row] = await read(query, name);
  return row ?? null;
}

const lock = defineStatement({ accountId: messages.accountId, messageId: messages.id }, ({ accountId, messageId }) =>
  executing(sql`SELECT FROM messages WHERE account_id = ${accountId} AND id = ${messageId} FOR UPDATE`),
);

/** Blocks other additions to the events of a message until the end of the transaction. */
export async function lockMessageEvents(query: Query, { accountId, messageId }: RecipientName): Promise<void> {
  await lock(query, { accountId, messageId });
}

const FIELDS = {
  accountId: messages.accountId,
  messageId: messages.id,
  eventId: messageEvents.id,
  email: messageRecipients.email,
  now: messageEvents.createdAt,
};

const insertEvent = defineStatement(
  { ...FIELDS, suppressible: value<string | null>() },
  ({ accountId, messageId, eventId, email, suppressible, now }) =>
    executing(sql`
      WITH added AS (
        INSERT INTO message_events (account_id, message_id, seq, id, type, recipient, created_at)
        SELECT m.account_id, m.id, m.event_count + 1, ${eventId}, 'unsubscribed', ${email}, ${now} FROM messages m
        WHERE m.account_id = ${accountId} AND m.id = ${messageId} AND (
          NOT EXISTS (SELECT FROM message_events e
            WHERE e.account_id = m.account_id AND e.message_id = m.id AND e.type = 'unsubscribed' AND e.recipient = ${email})
          OR ${suppressible}::text IS NOT NULL AND NOT EXISTS (SELECT FROM suppressions s
            WHERE s.account_id = m.account_id AND s.email = ${suppressible} AND is_suppressing(s.expires_at, ${now})))
        RETURNING account_id, message_id
      )
      UPDATE messages m SET event_count = m.event_count + 1
      FROM added WHERE m.account_id = added.account_id AND m.id = added.message_id`),
);

/** `suppressible` is the folded address; null if it can never be on the suppression list. */
export type Unsubscribed = Parameters<typeof insertEvent>[1];

/**
 * Adds `unsubscribed` to the events of a message, once for each time it has an effect: not if the event exists, unless the address was
 * removed from the suppression list since. An earlier statement must lock the events, so that what is read here is current.
 */
export async function recordUnsubscribed(query: Query, event: Unsubscribed): Promise<void> {
  await insertEvent(query, event);
}
