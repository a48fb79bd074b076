import type { Query } from '../client.ts';

/** A recipient by account, message and place in the message. */
export interface RecipientName {
  readonly accountId: string;
  readonly messageId: string;
  readonly ordinal: number;
}

export interface RecipientRow {
  readonly email: string;
  /** The message's sender as given. */
  readonly from: string;
}

/** One recipient of a message that is still in the log; null where there is none. */
export async function readRecipient(query: Query, name: RecipientName): Promise<RecipientRow | null> {
  const [row] = await query<RecipientRow[]>`
    SELECT r.email, m.from_given AS "from" FROM messages m
    JOIN message_recipients r ON r.account_id = m.account_id AND r.message_id = m.id
    WHERE m.account_id = ${name.accountId} AND m.id = ${name.messageId} AND r.ordinal = ${name.ordinal}`;
  return row ?? null;
}

/** Keeps others from adding to the trail of a message until the end of the transaction. */
export async function lockTrail(query: Query, { accountId, messageId }: RecipientName): Promise<void> {
  await query`SELECT FROM messages WHERE account_id = ${accountId} AND id = ${messageId} FOR UPDATE`;
}

export interface Unsubscribed extends RecipientName {
  readonly eventId: string;
  readonly email: string;
  /** The same, folded; null where the address can never be on the suppression list. */
  readonly suppressible: string | null;
  readonly now: Date;
}

/**
 * Adds `unsubscribed` to the trail of a message, once for each time it changes something: not where the trail has it, save where the address was
 * taken off the suppression list since. The trail has to be locked, by a statement before, so that what is read here is how it stands.
 */
export async function tellUnsubscribed(query: Query, told: Unsubscribed): Promise<void> {
  const { accountId, messageId, eventId, email, suppressible, now } = told;
  await query`
    WITH told AS (
      INSERT INTO message_events (account_id, message_id, seq, id, type, recipient, created_at)
      SELECT m.account_id, m.id, m.event_count + 1, ${eventId}, 'unsubscribed', ${email}, ${now} FROM messages m
      WHERE m.account_id = ${accountId} AND m.id = ${messageId} AND (
        NOT EXISTS (SELECT FROM message_events e
          WHERE e.account_id = m.account_id AND e.message_id = m.id AND e.type = 'unsubscribed' AND e.recipient = ${email})
        OR ${suppressible}::text IS NOT NULL AND NOT EXISTS (SELECT FROM suppressions s
          WHERE s.account_id = m.account_id AND s.email = ${suppressible} AND (s.expires_at IS NULL OR s.expires_at > ${now})))
      RETURNING account_id, message_id
    )
    UPDATE messages m SET event_count = m.event_count + 1
    FROM told WHERE m.account_id = told.account_id AND m.id = told.message_id`;
}
