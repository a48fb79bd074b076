import type { RecipientKind } from '@postrider/core';
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

/** Who sent a message, and what became of its hold. */
export interface MessageOwner {
  /** The key that asked for it. */
  readonly ownerKeyId: string;
  /** The key it goes out under. */
  readonly keyId: string;
  /** Null where it was never held. */
  readonly holdStatus: string | null;
}

/** Null where the account has no message of that id. */
export async function readMessageOwner(query: Query, accountId: string, id: string): Promise<MessageOwner | null> {
  const [row] = await query<MessageOwner[]>`
    SELECT coalesce(m.asked_by, m.key_id) AS "ownerKeyId", m.key_id AS "keyId",
      (SELECT h.status FROM approvals h WHERE h.account_id = m.account_id AND h.message_id = m.id) AS "holdStatus"
    FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${id}`;
  return row ?? null;
}

/** What the rules of keys say something about. */
export interface QueuedContent {
  readonly recipients: readonly { readonly email: string; readonly kind: RecipientKind }[];
  /** Those of them, folded, that an approver trusts for a key. */
  readonly trusted: readonly string[];
  readonly attachments: number;
}

/** @param keyId the key whose trusted recipients are asked for */
export async function readQueuedContent(
  query: Query,
  { accountId, messageId, keyId }: Pick<QueuedMessageKey, 'accountId' | 'messageId'> & { readonly keyId: string },
): Promise<QueuedContent> {
  const [row] = await query<QueuedContent[]>`
    SELECT coalesce(json_agg(json_build_object('email', r.email, 'kind', r.kind) ORDER BY r.ordinal), '[]') AS recipients,
      coalesce(json_agg(t.email) FILTER (WHERE t.email IS NOT NULL), '[]') AS trusted,
      (SELECT count(*)::int FROM message_attachments a WHERE a.account_id = ${accountId} AND a.message_id = ${messageId}) AS attachments
    FROM message_recipients r
    LEFT JOIN trusted_recipients t ON t.account_id = r.account_id AND t.key_id = ${keyId} AND t.email = lower(r.email)
    WHERE r.account_id = ${accountId} AND r.message_id = ${messageId}`;
  return row ?? { recipients: [], trusted: [], attachments: 0 };
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
