import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { narrowed, nullable, pg, returning } from '../result.ts';
import type { approvals } from '../schema/approvals.ts';
import { deliveries } from '../schema/deliveries.ts';
import { messageEvents, type messageRecipients, messages } from '../schema/messages.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

/** Identifies a message, and the ids where its deliveries are looked for first: between its own id and `idsBefore`. */
export interface QueuedMessageKey {
  readonly accountId: string;
  readonly messageId: string;
  readonly idsBefore: string;
}

const KEY = { accountId: messages.accountId, messageId: messages.id, idsBefore: deliveries.id };
const EVENT = { eventId: messageEvents.id, now: messageEvents.createdAt };

/** The id as it is stored. The obstacle is null if the change was made; otherwise it is the message's status, or `missing`. */
const CHANGE = { id: pg.uuid, obstacle: nullable(pg.text) };

const cancel = defineStatement({ ...KEY, ...EVENT, detail: value<string>() }, (given) =>
  returning(
    CHANGE,
    sql`
      SELECT ${given.messageId}::uuid AS id,
        cancel_queued_message(${given.accountId}, ${given.messageId}, ${given.idsBefore}, ${given.eventId}, ${given.now}, ${given.detail}) AS obstacle`,
  ),
);

export type QueuedChange = RowOf<typeof cancel>;

/**
 * Removes a queued message from the outbox: marks it and its recipients `canceled`, deletes its body, returns its quota. One statement, so
 * that its locks end with it, however long this process takes to read the result.
 */
export async function cancelQueuedMessage(
  query: Query,
  key: QueuedMessageKey,
  event: { readonly eventId: string; readonly now: Date; readonly detail: string },
): Promise<QueuedChange> {
  const [row] = await cancel(query, { ...key, ...event });
  return row ?? MISSING;
}

const readOwner = defineStatement({ accountId: messages.accountId, id: messages.id }, ({ accountId, id }) =>
  returning(
    {
      /** The key that asked for it. */
      ownerKeyId: pg.uuid,
      /** The key that it is issued under. */
      keyId: messages.keyId,
      status: messages.status,
      /** Null if it was never held. */
      holdStatus: nullable(narrowed<typeof approvals.$inferSelect.status>(pg.text)),
    },
    sql`
      SELECT coalesce(m.asked_by, m.key_id) AS "ownerKeyId", m.key_id AS "keyId", m.status,
        (SELECT h.status FROM approvals h WHERE h.account_id = m.account_id AND h.message_id = m.id) AS "holdStatus"
      FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${id}`,
  ),
);

/** The keys that sent a message, its status and that of its hold. */
export type MessageOwner = RowOf<typeof readOwner>;

/** Null if the account has no message with that id. */
export async function readMessageOwner(query: Query, accountId: string, id: string): Promise<MessageOwner | null> {
  const [row] = await readOwner(query, { accountId, id });
  return row ?? null;
}

const readContent = defineStatement(
  { accountId: messages.accountId, messageId: messages.id, keyId: messages.keyId },
  ({ accountId, messageId, keyId }) =>
    returning(
      {
        recipients: narrowed<readonly Pick<typeof messageRecipients.$inferSelect, 'email' | 'kind'>[]>(pg.json),
        /** The folded addresses among them that an approver trusts for a key. */
        trusted: narrowed<readonly string[]>(pg.json),
        attachments: pg.int4,
      },
      sql`
        SELECT coalesce(json_agg(json_build_object('email', r.email, 'kind', r.kind) ORDER BY r.ordinal), '[]') AS recipients,
          coalesce(json_agg(t.email) FILTER (WHERE t.email IS NOT NULL), '[]') AS trusted,
          (SELECT count(*)::int FROM message_attachments a WHERE a.account_id = ${accountId} AND a.message_id = ${messageId}) AS attachments
        FROM message_recipients r
        LEFT JOIN trusted_recipients t ON t.account_id = r.account_id AND t.key_id = ${keyId} AND t.email = lower(r.email)
        WHERE r.account_id = ${accountId} AND r.message_id = ${messageId}`,
    ),
);

/** The parts of a queued message that the rules of keys apply to. */
export type QueuedContent = RowOf<typeof readContent>;

/** @param keyId the key whose trusted recipients are read */
export async function readQueuedContent(
  query: Query,
  name: { readonly accountId: string; readonly messageId: string; readonly keyId: string },
): Promise<QueuedContent> {
  const [row] = await readContent(query, name);
  return row ?? { recipients: [], trusted: [], attachments: 0 };
}

const reschedule = defineStatement(
  { ...KEY, ...EVENT, dueAt: deliveries.nextAt, expiresAt: deliveries.expiresAt, detail: value<string>() },
  (given) =>
    returning(
      CHANGE,
      sql`
        SELECT ${given.messageId}::uuid AS id, reschedule_queued_message(${given.accountId}, ${given.messageId}, ${given.idsBefore}, ${given.eventId}, ${given.now},
          ${given.dueAt}, ${given.expiresAt}, ${given.detail}) AS obstacle`,
    ),
);

/** Moves the due time of a queued message and the end of its retries. One statement, for the same reason. */
export async function rescheduleQueuedMessage(
  query: Query,
  key: QueuedMessageKey,
  event: { readonly eventId: string; readonly now: Date; readonly dueAt: Date; readonly expiresAt: Date },
): Promise<QueuedChange> {
  const [row] = await reschedule(query, { ...key, ...event, detail: event.dueAt.toISOString() });
  return row ?? MISSING;
}

const MISSING: QueuedChange = { id: '', obstacle: 'missing' };
