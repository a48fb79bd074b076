import type { Query } from '../client.ts';

/** Names a message, and where its deliveries are looked for first: between its own id and `idsBefore`. */
export interface QueuedMessageKey {
  readonly accountId: string;
  readonly messageId: string;
  readonly idsBefore: string;
}

interface EventOfChange {
  readonly eventId: string;
  readonly now: Date;
}

/** What came of a change: the id as it is stored, and null as the obstacle where it is done; else where the message stands, or `missing`. */
export interface QueuedChange {
  readonly id: string;
  readonly obstacle: string | null;
}

/**
 * Takes a queued message out of the outbox: marks it and its recipients `canceled`, removes what it said, gives its quota back. One statement,
 * so that its locks end with it, however long this process takes to hear of it.
 */
export async function cancelQueuedMessage(
  query: Query,
  { accountId, messageId, idsBefore }: QueuedMessageKey,
  { eventId, now, detail }: EventOfChange & { readonly detail: string },
): Promise<QueuedChange> {
  const [row] = await query<QueuedChange[]>`
    SELECT ${messageId}::uuid AS id,
      cancel_queued_message(${accountId}, ${messageId}, ${idsBefore}, ${eventId}, ${now}, ${detail}) AS obstacle`;
  return row ?? MISSING;
}

/** Who sent a message, and whether it was ever held. Neither changes. */
export interface MessageOwner {
  /** The key that asked for it. */
  readonly ownerKeyId: string;
  readonly wasHeld: boolean;
}

/** Null where the account has no message of that id. */
export async function readMessageOwner(query: Query, accountId: string, id: string): Promise<MessageOwner | null> {
  const [row] = await query<MessageOwner[]>`
    SELECT coalesce(m.asked_by, m.key_id) AS "ownerKeyId",
      EXISTS (SELECT FROM approvals h WHERE h.account_id = m.account_id AND h.message_id = m.id) AS "wasHeld"
    FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${id}`;
  return row ?? null;
}

/** Moves the time at which a queued message is due, and the end of its retries. One statement, for the same reason. */
export async function rescheduleQueuedMessage(
  query: Query,
  { accountId, messageId, idsBefore }: QueuedMessageKey,
  { eventId, now, dueAt, expiresAt }: EventOfChange & { readonly dueAt: Date; readonly expiresAt: Date },
): Promise<QueuedChange> {
  const [row] = await query<QueuedChange[]>`
    SELECT ${messageId}::uuid AS id, reschedule_queued_message(${accountId}, ${messageId}, ${idsBefore}, ${eventId}, ${now},
      ${dueAt}, ${expiresAt}, ${dueAt.toISOString()}) AS obstacle`;
  return row ?? MISSING;
}

const MISSING: QueuedChange = { id: '', obstacle: 'missing' };
