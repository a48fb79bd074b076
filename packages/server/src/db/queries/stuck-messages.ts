import type { Sql, Transaction } from '../client.ts';
import { sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { executing, narrowed, pg, returning } from '../result.ts';
import { deliveries } from '../schema/deliveries.ts';
import { messageBodies, messageEvents, messageRecipients, messages } from '../schema/messages.ts';
import { defineStatement, type GivenOf, type RowOf, value } from '../statement.ts';
import { SHOW_AS_SENDING } from './shown-attempts.ts';

export interface MessageName {
  readonly accountId: string;
  readonly messageId: string;
}

const withoutLoops = defineStatement({}, () => executing(sql`SET LOCAL enable_nestloop = off`));

const findStranded = defineStatement(
  { before: value<Date>(), openStatuses: value<readonly string[]>(), limit: value<number>() },
  ({ before, openStatuses, limit }) =>
    returning(
      { accountId: messages.accountId, messageId: messages.id },
      sql`
        SELECT m.account_id AS "accountId", m.id AS "messageId" FROM messages m
        WHERE m.account_id = ANY (ARRAY(SELECT id FROM accounts)) AND m.status = ANY (${openStatuses}::text[])
          AND m.id < uuid_v7_lower_bound(${before})
          AND NOT EXISTS (SELECT FROM deliveries d WHERE d.account_id = m.account_id AND d.message_id = m.id)
        LIMIT ${limit}`,
    ),
);

/**
 * Unfinished messages that no worker will ever deliver, because they have no delivery. Uses a full join: deliveries are not indexed by
 * message, and probing for each message would read an account's backlog as many times as it has messages.
 */
export async function findStrandedMessages(
  pool: Sql,
  options: Parameters<typeof findStranded>[1],
): Promise<readonly MessageName[]> {
  return await pool.begin(async (transaction) => {
    await withoutLoops(transaction, {});
    return await findStranded(transaction, options);
  });
}

const MESSAGE = { accountId: messages.accountId, messageId: messages.id };

const lock = defineStatement(MESSAGE, ({ accountId, messageId }) =>
  executing(sql`SELECT FROM messages WHERE account_id = ${accountId} AND id = ${messageId} FOR UPDATE`),
);

type Recipient = typeof messageRecipients.$inferSelect;

const readStranded = defineStatement(MESSAGE, ({ accountId, messageId }) =>
  returning(
    {
      status: messages.status,
      createdAt: messages.createdAt,
      scheduledAt: messages.scheduledAt,
      eventCount: messages.eventCount,
      unsubscribe: messages.unsubscribe,
      hasBody: pg.bool,
      html: messageBodies.html,
      text: messageBodies.text,
      hasDeliveries: pg.bool,
      /** Whether a test key sent it. */
      isTest: pg.bool,
      recipients: narrowed<readonly Pick<Recipient, 'ordinal' | 'email' | 'status'>[]>(pg.json),
    },
    sql`
    SELECT m.status, m.created_at AS "createdAt", m.scheduled_at AS "scheduledAt", m.event_count AS "eventCount", m.unsubscribe,
      b.message_id IS NOT NULL AS "hasBody", b.html, b.text,
      EXISTS (SELECT FROM deliveries d WHERE d.account_id = m.account_id AND d.message_id = m.id) AS "hasDeliveries",
      EXISTS (SELECT FROM api_keys k WHERE k.account_id = m.account_id AND k.id IN (m.key_id, m.asked_by) AND k.mode = 'test') AS "isTest",
      coalesce((SELECT json_agg(json_build_object('ordinal', r.ordinal, 'email', r.email, 'status', r.status) ORDER BY r.ordinal)
        FROM message_recipients r WHERE r.account_id = m.account_id AND r.message_id = m.id), '[]') AS recipients
    FROM messages m LEFT JOIN message_bodies b ON b.account_id = m.account_id AND b.message_id = m.id
    WHERE m.account_id = ${accountId} AND m.id = ${messageId}`,
  ),
);

export type StrandedMessage = RowOf<typeof readStranded>;

/** Locks a message, then reads its state under the lock; null if it is gone. */
export async function lockStrandedMessage(
  transaction: Transaction,
  { accountId, messageId }: MessageName,
): Promise<StrandedMessage | null> {
  await lock(transaction, { accountId, messageId });
  const [row] = await readStranded(transaction, { accountId, messageId });
  return row ?? null;
}

const REPAIRED_RECIPIENT = { ordinal: messageRecipients.ordinal, status: messageRecipients.status };

const REPAIRED_EVENT = {
  id: messageEvents.id,
  type: messageEvents.type,
  recipient: messageEvents.recipient,
  detail: messageEvents.detail,
};

const REPAIRED_DELIVERY = {
  id: deliveries.id,
  route: deliveries.route,
  destination: deliveries.destination,
  ordinals: deliveries.ordinals,
};

const repair = defineStatement(
  {
    ...MESSAGE,
    status: messages.status,
    lastError: messages.lastError,
    eventCount: messages.eventCount,
    added: messages.eventCount,
    recipients: value<string>(),
    events: value<string>(),
    deliveries: value<string>(),
    nextAt: deliveries.nextAt,
    expiresAt: deliveries.expiresAt,
    now: messageEvents.createdAt,
  },
  (repairing) =>
    executing(sql`
    WITH shown AS (
      UPDATE messages SET status = ${repairing.status}, event_count = event_count + ${repairing.added},
        last_error = coalesce(${repairing.lastError}::text, last_error)
      WHERE account_id = ${repairing.accountId} AND id = ${repairing.messageId}
    ),
    settled AS (
      UPDATE message_recipients r SET status = s.status
      FROM json_to_recordset(${repairing.recipients}::text::json) AS s (${sql.raw(recordColumns(REPAIRED_RECIPIENT))})
      WHERE r.account_id = ${repairing.accountId} AND r.message_id = ${repairing.messageId} AND r.ordinal = s.ordinal
    ),
    events AS (
      INSERT INTO message_events (account_id, message_id, seq, id, type, recipient, detail, created_at)
      SELECT ${repairing.accountId}, ${repairing.messageId}, ${repairing.eventCount}::int + n, id, type, recipient, detail, ${repairing.now}
      FROM ROWS FROM (json_to_recordset(${repairing.events}::text::json) AS (${sql.raw(recordColumns(REPAIRED_EVENT))}))
        WITH ORDINALITY AS e (id, type, recipient, detail, n)
    ),
    to_count AS (
      INSERT INTO count_backlog (account_id, message_ids) VALUES (${repairing.accountId}, ARRAY[${repairing.messageId}::uuid])
    )
    INSERT INTO deliveries (account_id, id, message_id, route, destination, ordinals, next_at, expires_at)
    SELECT ${repairing.accountId}, d.id, ${repairing.messageId}, d.route, d.destination, d.ordinals, ${repairing.nextAt}, ${repairing.expiresAt}
    FROM json_to_recordset(${repairing.deliveries}::text::json) AS d (${sql.raw(recordColumns(REPAIRED_DELIVERY))})`),
);

/** How a message is repaired, with every status and text decided. */
export interface Repair extends Omit<Parameters<typeof repair>[1], 'added' | 'recipients' | 'events' | 'deliveries'> {
  /** The number of the message's events before. */
  readonly eventCount: number;
  readonly recipients: readonly RecordOf<typeof REPAIRED_RECIPIENT>[];
  readonly events: readonly RecordOf<typeof REPAIRED_EVENT>[];
  readonly deliveries: readonly RecordOf<typeof REPAIRED_DELIVERY>[];
}

/** Writes a repair of a message that this transaction has locked. */
export async function repairMessage(transaction: Transaction, repairing: Repair): Promise<void> {
  await repair(transaction, {
    ...repairing,
    added: repairing.events.length,
    recipients: JSON.stringify(repairing.recipients),
    events: JSON.stringify(repairing.events),
    deliveries: JSON.stringify(repairing.deliveries),
  });
}

const LOST = {
  now: value<Date>(),
  /** Leases end before this much time has passed. */
  longestLeaseMs: value<number>(),
};

/**
 * Uses the later of two clocks, so that a process whose clock is behind the database's or those of other processes takes no lease of
 * another.
 */
function lost({ now, longestLeaseMs }: GivenOf<typeof LOST>) {
  return sql`((lease_id IS NOT NULL AND next_at > greatest(${now}::timestamptz, now()) + ${longestLeaseMs} * interval '1 millisecond')
    OR (lease_id IS NULL AND next_at > expires_at + interval '1 minute'))`;
}

/**
 * Deliveries that would be due later than any rule allows: leases that end later than a lease can, and retries after the end of all
 * retries. Grouped by message; `limit` applies to the deliveries.
 */
export const findLostDeliveries = defineStatement({ ...LOST, limit: value<number>() }, ({ limit, ...given }) =>
  returning(
    { accountId: deliveries.accountId, messageId: deliveries.messageId, deliveryIds: pg.uuidArray },
    sql`
      SELECT account_id AS "accountId", message_id AS "messageId", array_agg(id ORDER BY id) AS "deliveryIds" FROM (
        SELECT account_id, message_id, id FROM deliveries WHERE ${lost(given)} LIMIT ${limit}) AS found
      GROUP BY account_id, message_id`,
  ),
);

export type LostDeliveries = RowOf<typeof findLostDeliveries>;

/**
 * Makes a message's deliveries due again if they are still lost, and returns how many. Locks their rows before the message's, in the order
 * in which outcomes are written; skips rows that another transaction has locked. An attempt whose lease is lost counts as begun, so its
 * recipients become `sending`.
 */
export const freeLostDeliveries = defineStatement(
  { ...LOST, accountId: deliveries.accountId, deliveryIds: value<readonly string[]>() },
  ({ accountId, deliveryIds, ...given }) =>
    executing(sql`
      WITH locked AS MATERIALIZED (
        SELECT account_id, id, message_id, ordinals, lease_id FROM deliveries
        WHERE account_id = ${accountId} AND id = ANY (${deliveryIds}::uuid[]) AND ${lost(given)}
        ORDER BY id
        FOR UPDATE SKIP LOCKED
      ),
      under_way AS MATERIALIZED (
        SELECT account_id, message_id, ordinals FROM locked WHERE lease_id IS NOT NULL
      ),${SHOW_AS_SENDING}
      UPDATE deliveries d SET lease_id = NULL, next_at = ${given.now} FROM locked l WHERE d.account_id = l.account_id AND d.id = l.id`),
);

/**
 * Leases deliveries whose time was over before `before` and that no process has leased. Deletes those whose message is gone from the log,
 * because no process could ever settle them.
 */
export const claimExpiredDeliveries = defineStatement(
  {
    leaseId: value<string>(),
    leaseUntil: deliveries.nextAt,
    now: deliveries.nextAt,
    before: deliveries.expiresAt,
    limit: value<number>(),
  },
  (options) =>
    returning(
      {
        accountId: deliveries.accountId,
        messageId: deliveries.messageId,
        id: deliveries.id,
        attempt: deliveries.attempt,
        route: deliveries.route,
        lastError: messages.lastError,
        recipients: narrowed<readonly Pick<Recipient, 'ordinal' | 'email'>[]>(pg.json),
        recipientsInMessage: pg.int4,
      },
      sql`
    WITH expired AS MATERIALIZED (
      SELECT d.account_id, d.id, EXISTS (SELECT FROM messages m WHERE m.account_id = d.account_id AND m.id = d.message_id) AS is_known
      FROM deliveries d WHERE d.expires_at < ${options.before} AND d.next_at <= ${options.now}
      LIMIT ${options.limit}
      FOR UPDATE SKIP LOCKED
    ),
    dropped AS (
      DELETE FROM deliveries d USING expired e WHERE d.account_id = e.account_id AND d.id = e.id AND NOT e.is_known
    ),
    claimed AS (
      UPDATE deliveries d SET lease_id = ${options.leaseId}, next_at = ${options.leaseUntil}
      FROM expired e WHERE d.account_id = e.account_id AND d.id = e.id AND e.is_known
      RETURNING d.*
    )
    SELECT c.account_id AS "accountId", c.message_id AS "messageId", c.id, c.attempt, c.route, m.last_error AS "lastError",
      coalesce((SELECT json_agg(json_build_object('ordinal', r.ordinal, 'email', r.email) ORDER BY r.ordinal) FROM message_recipients r
        WHERE r.account_id = c.account_id AND r.message_id = c.message_id AND r.ordinal = ANY (c.ordinals)), '[]') AS recipients,
      (SELECT count(*)::int FROM message_recipients r WHERE r.account_id = c.account_id AND r.message_id = c.message_id) AS "recipientsInMessage"
    FROM claimed c JOIN messages m ON m.account_id = c.account_id AND m.id = c.message_id`,
    ),
);

export type ExpiredDelivery = RowOf<typeof claimExpiredDeliveries>;
