import type { Query, Sql, Transaction } from '../client.ts';

export interface MessageName {
  readonly accountId: string;
  readonly messageId: string;
}

/**
 * Messages that are not over and that nobody will ever deliver, since no delivery is there. Joined as a whole: deliveries are not indexed by
 * their message, and looking for each by itself would read an account's backlog as many times as it has messages.
 */
export async function findStrandedMessages(
  sql: Sql,
  options: { readonly before: Date; readonly openStatuses: readonly string[]; readonly limit: number },
): Promise<readonly MessageName[]> {
  return await sql.begin(async (transaction) => {
    await transaction`SET LOCAL enable_nestloop = off`;
    return await transaction<MessageName[]>`
      SELECT m.account_id AS "accountId", m.id AS "messageId" FROM messages m
      WHERE m.account_id = ANY (ARRAY(SELECT id FROM accounts)) AND m.status = ANY (${[...options.openStatuses]}::text[])
        AND m.id < uuid_v7_lower_bound(${options.before})
        AND NOT EXISTS (SELECT FROM deliveries d WHERE d.account_id = m.account_id AND d.message_id = m.id)
      LIMIT ${options.limit}`;
  });
}

export interface StrandedMessage {
  readonly status: string;
  readonly createdAt: Date;
  readonly scheduledAt: Date | null;
  readonly eventCount: number;
  readonly unsubscribe: boolean;
  readonly hasBody: boolean;
  readonly html: string | null;
  readonly text: string | null;
  readonly hasDeliveries: boolean;
  /** Whether a test key sent it. */
  readonly isTest: boolean;
  readonly recipients: readonly { readonly ordinal: number; readonly email: string; readonly status: string }[];
}

/** Locks a message and reads what is true behind the lock; null where it is gone. */
export async function lockStrandedMessage(
  transaction: Transaction,
  { accountId, messageId }: MessageName,
): Promise<StrandedMessage | null> {
  await transaction`SELECT FROM messages WHERE account_id = ${accountId} AND id = ${messageId} FOR UPDATE`;
  const [row] = await transaction<StrandedMessage[]>`
    SELECT m.status, m.created_at AS "createdAt", m.scheduled_at AS "scheduledAt", m.event_count AS "eventCount", m.unsubscribe,
      b.message_id IS NOT NULL AS "hasBody", b.html, b.text,
      EXISTS (SELECT FROM deliveries d WHERE d.account_id = m.account_id AND d.message_id = m.id) AS "hasDeliveries",
      EXISTS (SELECT FROM api_keys k WHERE k.account_id = m.account_id AND k.id IN (m.key_id, m.asked_by) AND k.mode = 'test') AS "isTest",
      coalesce((SELECT json_agg(json_build_object('ordinal', r.ordinal, 'email', r.email, 'status', r.status) ORDER BY r.ordinal)
        FROM message_recipients r WHERE r.account_id = m.account_id AND r.message_id = m.id), '[]') AS recipients
    FROM messages m LEFT JOIN message_bodies b ON b.account_id = m.account_id AND b.message_id = m.id
    WHERE m.account_id = ${accountId} AND m.id = ${messageId}`;
  return row ?? null;
}

/** How a message is mended: every status and word is decided. */
export interface Mending extends MessageName {
  readonly status: string;
  readonly lastError: string | null;
  /** The message's events before. */
  readonly eventCount: number;
  readonly recipients: readonly { readonly ordinal: number; readonly status: string }[];
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    readonly recipient: string | null;
    readonly detail: string;
  }[];
  readonly deliveries: readonly {
    readonly id: string;
    readonly route: string;
    readonly destination: string;
    readonly ordinals: readonly number[];
  }[];
  readonly nextAt: Date;
  readonly expiresAt: Date;
  readonly now: Date;
}

/** Writes a mending of a message that this transaction has locked. */
export async function mendMessage(transaction: Transaction, mending: Mending): Promise<void> {
  const { accountId, messageId, now } = mending;
  await transaction`
    WITH shown AS (
      UPDATE messages SET status = ${mending.status}, event_count = event_count + ${mending.events.length},
        last_error = coalesce(${mending.lastError}::text, last_error)
      WHERE account_id = ${accountId} AND id = ${messageId}
    ),
    settled AS (
      UPDATE message_recipients r SET status = s.status
      FROM json_to_recordset(${JSON.stringify(mending.recipients)}::text::json) AS s (ordinal smallint, status text)
      WHERE r.account_id = ${accountId} AND r.message_id = ${messageId} AND r.ordinal = s.ordinal
    ),
    told AS (
      INSERT INTO message_events (account_id, message_id, seq, id, type, recipient, detail, created_at)
      SELECT ${accountId}, ${messageId}, ${mending.eventCount}::int + n, id, type, recipient, detail, ${now}
      FROM ROWS FROM (json_to_recordset(${JSON.stringify(mending.events)}::text::json) AS (id uuid, type text, recipient text, detail text))
        WITH ORDINALITY AS e (id, type, recipient, detail, n)
    ),
    to_count AS (
      INSERT INTO count_backlog (account_id, message_ids) VALUES (${accountId}, ARRAY[${messageId}::uuid])
    )
    INSERT INTO deliveries (account_id, id, message_id, route, destination, ordinals, next_at, expires_at)
    SELECT ${accountId}, d.id, ${messageId}, d.route, d.destination, d.ordinals, ${mending.nextAt}, ${mending.expiresAt}
    FROM json_to_recordset(${JSON.stringify(mending.deliveries)}::text::json) AS d (id uuid, route text, destination text, ordinals smallint[])`;
}

export interface LostDeliveries extends MessageName {
  readonly deliveryIds: readonly string[];
}

interface LostOptions {
  readonly now: Date;
  /** Leases end before as much has passed. */
  readonly longestLeaseMs: number;
}

/**
 * Deliveries that would not be due for longer than any rule of ours lets them wait: leases that end later than a lease can, and retries after
 * the end of all retries. By message; `limit` bounds the deliveries.
 */
export async function findLostDeliveries(
  query: Query,
  { now, longestLeaseMs, limit }: LostOptions & { readonly limit: number },
): Promise<readonly LostDeliveries[]> {
  return await query<LostDeliveries[]>`
    SELECT account_id AS "accountId", message_id AS "messageId", array_agg(id ORDER BY id) AS "deliveryIds" FROM (
      SELECT account_id, message_id, id FROM deliveries WHERE ${lost(query, { now, longestLeaseMs })} LIMIT ${limit}) AS found
    GROUP BY account_id, message_id`;
}

/**
 * Makes those of a message's deliveries due again that are still lost, and answers how many. Their rows are locked before the message's own,
 * in the order in which outcomes are written; for whoever has one, nobody waits here.
 */
export async function freeLostDeliveries(
  transaction: Transaction,
  { accountId, deliveryIds, now, longestLeaseMs }: LostDeliveries & LostOptions,
): Promise<number> {
  const freed = await transaction`
    WITH locked AS MATERIALIZED (
      SELECT account_id, id FROM deliveries
      WHERE account_id = ${accountId} AND id = ANY (${[...deliveryIds]}::uuid[]) AND ${lost(transaction, { now, longestLeaseMs })}
      ORDER BY id
      FOR UPDATE SKIP LOCKED
    )
    UPDATE deliveries d SET lease_id = NULL, next_at = ${now} FROM locked l WHERE d.account_id = l.account_id AND d.id = l.id RETURNING 1`;
  return freed.length;
}

/** By the later of two clocks: a process whose own is behind the database's, or behind those of its fellows, takes nobody's lease. */
function lost(query: Query, { now, longestLeaseMs }: LostOptions) {
  return query`((lease_id IS NOT NULL AND next_at > greatest(${now}::timestamptz, now()) + ${longestLeaseMs} * interval '1 millisecond')
    OR (lease_id IS NULL AND next_at > expires_at + interval '1 minute'))`;
}

export interface ExpiredDelivery extends MessageName {
  readonly id: string;
  readonly attempt: number;
  readonly route: string;
  readonly recipients: readonly { readonly ordinal: number; readonly email: string }[];
  readonly recipientsInMessage: number;
  readonly lastError: string | null;
}

/**
 * Leases deliveries whose time was over before `before` and that nobody has in hand. Those whose message is gone from the log are dropped:
 * nobody could ever settle them.
 */
export async function claimExpiredDeliveries(
  query: Query,
  options: {
    readonly leaseId: string;
    readonly leaseUntil: Date;
    readonly now: Date;
    readonly before: Date;
    readonly limit: number;
  },
): Promise<readonly ExpiredDelivery[]> {
  return await query<ExpiredDelivery[]>`
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
    FROM claimed c JOIN messages m ON m.account_id = c.account_id AND m.id = c.message_id`;
}
