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
  { eventId, now }: EventOfChange,
): Promise<QueuedChange> {
  const [row] = await query<QueuedChange[]>`
    SELECT ${messageId}::uuid AS id,
      cancel_queued_message(${accountId}, ${messageId}, ${idsBefore}, ${eventId}, ${now}) AS obstacle`;
  return row ?? MISSING;
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
