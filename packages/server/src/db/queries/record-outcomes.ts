import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { arraysOf, columnNames, type RecordOf, recordColumns, toArrays, unnested } from '../record-columns.ts';
import { executing, pg, present, returning } from '../result.ts';
import { deliveries } from '../schema/deliveries.ts';
import { messageEvents, messageRecipients, messages } from '../schema/messages.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

/** Identifies one attempt. Its results count only while it still has the lease of the delivery. */
export interface AttemptFence {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly messageId: string;
  readonly leaseId: string;
  readonly attempt: number;
}

const MESSAGE = { accountId: messages.accountId, messageId: messages.id };

const readStatuses = defineStatement(arraysOf(MESSAGE), (given) =>
  returning(
    {
      messageId: messageRecipients.messageId,
      eventCount: messages.eventCount,
      ordinal: messageRecipients.ordinal,
      status: messageRecipients.status,
    },
    sql`
      SELECT r.message_id AS "messageId", m.event_count AS "eventCount", r.ordinal, r.status
      FROM ${unnested(MESSAGE, given)} AS given (${columnNames(MESSAGE)})
      JOIN messages m ON m.account_id = given."accountId" AND m.id = given."messageId"
      JOIN message_recipients r ON r.account_id = m.account_id AND r.message_id = m.id`,
  ),
);

/**
 * The state of every recipient of the given messages, whose other recipients belong to other deliveries, as one snapshot. Nothing is
 * locked: `writeOutcomes` refuses what has become stale.
 */
export async function readRecipientStatuses(
  query: Query,
  messages: readonly RecordOf<typeof MESSAGE>[],
): Promise<readonly RowOf<typeof readStatuses>[]> {
  return await readStatuses(query, toArrays(MESSAGE, messages));
}

const ATTEMPT = {
  account: deliveries.accountId,
  delivery: deliveries.id,
  message: deliveries.messageId,
  lease: deliveries.leaseId,
  attempt: deliveries.attempt,
  uncounted: deliveries.attempt,
  seen: messages.eventCount,
  status: messages.status,
  events: messages.eventCount,
  error: messages.lastError,
  next_at: deliveries.nextAt,
  ordinals: deliveries.ordinals,
};

const RECIPIENT = {
  message: messageRecipients.messageId,
  ordinal: messageRecipients.ordinal,
  status: messageRecipients.status,
};

const EVENT = {
  message: messageEvents.messageId,
  n: messageEvents.seq,
  id: messageEvents.id,
  type: messageEvents.type,
  recipient: messageEvents.recipient,
  classification: messageEvents.classification,
  detail: messageEvents.detail,
  at: messageEvents.createdAt,
};

/** Everything that a batch of attempts changes. */
export interface OutcomeRows {
  /** At most one for each message. */
  readonly attempts: readonly AttemptRow[];
  readonly recipients: readonly RecordOf<typeof RECIPIENT>[];
  readonly events: readonly EventRow[];
}

/** `n` counts the events of the attempt from 1. */
interface EventRow extends Omit<RecordOf<typeof EVENT>, 'at'> {
  readonly at: string;
}

/**
 * `uncounted` is 1 if the attempt does not count, otherwise 0. A null `error` keeps the previous one, unless all recipients have the
 * message now: then the error is cleared.
 */
interface AttemptRow extends Omit<RecordOf<typeof ATTEMPT>, 'seen' | 'next_at' | 'ordinals'> {
  /** The number of the message's events when its other recipients were read; null if none were, so that nothing can be stale. */
  readonly seen: number | null;
  /** When the delivery continues, and for which recipients; null if it is done. */
  readonly next_at: string | null;
  readonly ordinals: readonly number[] | null;
}

const write = defineStatement(
  { attempts: value<string>(), recipients: value<string>(), events: value<string>() },
  ({ attempts, recipients, events }) =>
    returning(
      {
        deliveryId: pg.uuid,
        /** False if the message has more events than were seen: the caller must decide again. */
        isWritten: pg.bool,
      },
      sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${attempts}::text::json) AS g (${sql.raw(recordColumns(ATTEMPT))})
    ),
    locked AS MATERIALIZED (
      SELECT g.*, m.event_count FROM given g
      JOIN deliveries d ON d.account_id = g.account AND d.id = g.delivery AND d.lease_id = g.lease AND d.attempt = g.attempt
      JOIN messages m ON m.account_id = d.account_id AND m.id = d.message_id
      ORDER BY m.id, d.id
      FOR UPDATE OF d, m
    ),
    present AS MATERIALIZED (
      SELECT * FROM locked WHERE seen IS NULL OR seen = event_count
    ),
    finished AS (
      DELETE FROM deliveries d USING present p WHERE d.account_id = p.account AND d.id = p.delivery AND p.next_at IS NULL
    ),
    retried AS (
      UPDATE deliveries d SET ordinals = p.ordinals, next_at = p.next_at, lease_id = NULL, attempt = d.attempt - p.uncounted
      FROM present p WHERE d.account_id = p.account AND d.id = p.delivery AND p.next_at IS NOT NULL
    ),
    settled AS (
      UPDATE message_recipients r SET status = s.status
      FROM json_to_recordset(${recipients}::text::json) AS s (${sql.raw(recordColumns(RECIPIENT))})
      JOIN present p ON p.message = s.message
      WHERE r.account_id = p.account AND r.message_id = p.message AND r.ordinal = s.ordinal
    ),
    events AS (
      INSERT INTO message_events (account_id, message_id, seq, id, type, recipient, classification, detail, created_at)
      SELECT p.account, p.message, p.event_count + e.n, e.id, e.type, e.recipient, e.classification, e.detail, e.at
      FROM json_to_recordset(${events}::text::json) AS e (${sql.raw(recordColumns(EVENT))})
      JOIN present p ON p.message = e.message
    ),
    shown AS (
      UPDATE messages m SET status = p.status, event_count = p.event_count + p.events, last_error = CASE
        WHEN p.status IN ('sent', 'delivered') THEN NULL ELSE coalesce(p.error, m.last_error) END
      FROM present p WHERE m.account_id = p.account AND m.id = p.message
    ),
    to_count AS (
      INSERT INTO count_backlog (account_id, message_ids) SELECT account, array_agg(message) FROM present GROUP BY account
    )
    SELECT delivery AS "deliveryId", seen IS NULL OR seen = event_count AS "isWritten" FROM locked`,
    ),
);

export type WrittenOutcome = RowOf<typeof write>;

/**
 * Writes outcomes in one statement, each attempt completely or not at all. An attempt that is missing from the result was overtaken
 * (another worker has the delivery, or it is settled) and changed nothing. All workers lock in one order, deliveries before messages, so
 * that two workers cannot deadlock.
 */
export async function writeOutcomes(query: Query, rows: OutcomeRows): Promise<readonly WrittenOutcome[]> {
  const { attempts, recipients, events } = rows;
  return await write(query, {
    attempts: JSON.stringify(attempts),
    recipients: JSON.stringify(recipients),
    events: JSON.stringify(events),
  });
}

/**
 * Takes over the leases of processes that are known to be gone, so that their deliveries continue at once instead of after the leases
 * expire. Their attempts count, because their progress is unknown. Returns how many leases there were.
 */
export async function takeLeasesOf(query: Query, leaseIds: readonly string[], now: Date): Promise<number> {
  return await takeLeases(query, { leaseIds, now });
}

const takeLeases = defineStatement(
  { leaseIds: value<readonly string[]>(), now: deliveries.nextAt },
  ({ leaseIds, now }) =>
    executing(sql`UPDATE deliveries SET lease_id = NULL, next_at = ${now} WHERE lease_id = ANY (${leaseIds}::uuid[])`),
);

const LEASE = { accountId: deliveries.accountId, deliveryId: deliveries.id, leaseId: present(deliveries.leaseId) };

const release = defineStatement({ ...arraysOf(LEASE), now: deliveries.nextAt }, ({ now, ...leases }) =>
  executing(sql`
    WITH released AS (
      UPDATE deliveries d SET lease_id = NULL, next_at = ${now}, attempt = d.attempt - 1
      FROM ${unnested(LEASE, leases)} AS a (${columnNames(LEASE)})
      WHERE d.account_id = a."accountId" AND d.id = a."deliveryId" AND d.lease_id = a."leaseId"
      RETURNING d.account_id, d.message_id, d.ordinals, d.attempt
    ),
    waiting AS (
      UPDATE message_recipients r SET status = CASE WHEN d.attempt = 0 THEN 'queued' ELSE 'deferred' END
      FROM released d WHERE r.account_id = d.account_id AND r.message_id = d.message_id AND r.ordinal = ANY (d.ordinals)
    )
    UPDATE messages m SET status = CASE WHEN d.attempt = 0 THEN 'queued' ELSE 'deferred' END
    FROM released d WHERE m.account_id = d.account_id AND m.id = d.message_id AND m.status = 'sending'`),
);

/** Releases leased deliveries at once, as at shutdown, without counting the attempt that was not made. */
export async function releaseDeliveries(query: Query, attempts: readonly AttemptFence[], now: Date): Promise<void> {
  await release(query, { ...toArrays(LEASE, attempts), now });
}
