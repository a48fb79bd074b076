import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import {
  arraysOf,
  columnNames,
  literalsOf,
  type RecordOf,
  toArrays,
  toLiterals,
  unnested,
  unnestedLiterals,
} from '../record-columns.ts';
import { executing, nullable, pg, present, returning } from '../result.ts';
import { deliveries } from '../schema/deliveries.ts';
import { messageEvents, messageRecipients, messages } from '../schema/messages.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { SHOW_AS_SENDING } from './shown-attempts.ts';

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
  /** The position of the attempt in the batch, from 0. */
  o: pg.int4,
  account: deliveries.accountId,
  delivery: deliveries.id,
  message: deliveries.messageId,
  lease: present(deliveries.leaseId),
  attempt: deliveries.attempt,
  uncounted: deliveries.attempt,
  seen: nullable(messages.eventCount),
  status: messages.status,
  events: messages.eventCount,
  error: messages.lastError,
  next_at: nullable(pg.text),
  ordinals: nullable(pg.text),
};

/** A recipient of the attempt `of`. */
const RECIPIENT = { of: pg.int4, ordinal: messageRecipients.ordinal, state: messageRecipients.status };

/** An event of the attempt `by`. */
const EVENT = {
  by: pg.int4,
  n: messageEvents.seq,
  id: messageEvents.id,
  type: messageEvents.type,
  recipient: messageEvents.recipient,
  classification: messageEvents.classification,
  detail: messageEvents.detail,
  at: pg.text,
  /** Named unlike the number of the attempt, because all lists of the statement share one name space. */
  tries: messageEvents.attempt,
};

/** Everything that a batch of attempts changes. */
export interface OutcomeRows {
  /** At most one for each message. */
  readonly attempts: readonly AttemptRow[];
  readonly recipients: readonly RecordOf<typeof RECIPIENT>[];
  /** `n` counts the events of the attempt from 1. */
  readonly events: readonly RecordOf<typeof EVENT>[];
}

/**
 * `uncounted` is 1 if the attempt does not count, otherwise 0. `seen` is the number of the message's events when its other recipients were
 * read; null if none were, so that nothing can be stale. A null `error` keeps the previous one, unless all recipients have the message now:
 * then the error is cleared. `next_at` is when the delivery continues, and `ordinals` for which recipients, as an array literal; both are
 * null if it is done.
 */
type AttemptRow = RecordOf<typeof ATTEMPT>;

const IS_CURRENT = sql`d.account_id = g.account AND d.id = g.delivery AND d.lease_id = g.lease AND d.attempt = g.attempt`;

/** Attempts whose delivery is deleted without being read first. */
const IS_SIMPLE = sql`g.seen IS NULL AND g.next_at IS NULL`;

const write = defineStatement({ ...literalsOf(ATTEMPT), ...literalsOf(RECIPIENT), ...literalsOf(EVENT) }, (given) =>
  returning(
    {
      deliveryId: pg.uuid,
      /** False if the message has more events than were seen: the caller must decide again. */
      isWritten: pg.bool,
    },
    sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM ${unnestedLiterals(ATTEMPT, given)} AS g (${columnNames(ATTEMPT)})
    ),
    ended AS (
      DELETE FROM deliveries d USING given g WHERE ${IS_CURRENT} AND ${IS_SIMPLE} RETURNING g.o
    ),
    locked AS MATERIALIZED (
      SELECT g.* FROM given g JOIN deliveries d ON ${IS_CURRENT} WHERE NOT (${IS_SIMPLE})
      ORDER BY g.message, g.delivery FOR UPDATE OF d
    ),
    seen AS MATERIALIZED (
      SELECT l.o FROM locked l JOIN messages m ON m.account_id = l.account AND m.id = l.message
      WHERE l.seen IS NULL OR l.seen = m.event_count
      ORDER BY m.id FOR UPDATE OF m
    ),
    counting AS MATERIALIZED (
      SELECT g.* FROM given g WHERE g.o IN (SELECT o FROM ended UNION ALL SELECT o FROM seen)
    ),
    finished AS (
      DELETE FROM deliveries d USING locked l WHERE d.account_id = l.account AND d.id = l.delivery AND l.next_at IS NULL
        AND l.o IN (SELECT o FROM seen)
    ),
    retried AS (
      UPDATE deliveries d SET ordinals = l.ordinals::smallint[], next_at = l.next_at::timestamptz, lease_id = NULL, attempt = d.attempt - l.uncounted
      FROM locked l WHERE d.account_id = l.account AND d.id = l.delivery AND l.next_at IS NOT NULL AND l.o IN (SELECT o FROM seen)
    ),
    settled AS (
      UPDATE message_recipients r SET status = s.state
      FROM ${unnestedLiterals(RECIPIENT, given)} AS s (${columnNames(RECIPIENT)})
      JOIN counting g ON g.o = s.of
      WHERE r.account_id = g.account AND r.message_id = g.message AND r.ordinal = s.ordinal
    ),
    shown AS (
      UPDATE messages m SET status = g.status, event_count = m.event_count + g.events, last_error = CASE
        WHEN g.status IN ('sent', 'delivered') THEN NULL ELSE coalesce(g.error, m.last_error) END
      FROM counting g WHERE m.account_id = g.account AND m.id = g.message
      RETURNING g.o, g.account, g.message, m.event_count - g.events AS before
    ),
    events AS (
      INSERT INTO message_events (account_id, message_id, seq, id, type, recipient, classification, detail, created_at, attempt)
      SELECT m.account, m.message, m.before + e.n, e.id, e.type, e.recipient, e.classification, e.detail, e.at::timestamptz, e.tries
      FROM ${unnestedLiterals(EVENT, given)} AS e (${columnNames(EVENT)})
      JOIN shown m ON m.o = e.by
    ),
    to_count AS (
      INSERT INTO count_backlog (account_id, message_ids) SELECT account, array_agg(message) FROM counting GROUP BY account
    )
    SELECT delivery AS "deliveryId", true AS "isWritten" FROM counting
    UNION ALL SELECT delivery, false FROM locked WHERE o NOT IN (SELECT o FROM seen)`,
  ),
);

export type WrittenOutcome = RowOf<typeof write>;

/**
 * Writes outcomes in one statement, each attempt completely or not at all. An attempt that is missing from the result was overtaken
 * (another worker has the delivery, or it is settled) and changed nothing. All workers lock in one order, deliveries before messages, so
 * that two workers cannot deadlock.
 */
export async function writeOutcomes(query: Query, rows: OutcomeRows): Promise<readonly WrittenOutcome[]> {
  return await write(query, {
    ...toLiterals(ATTEMPT, rows.attempts),
    ...toLiterals(RECIPIENT, rows.recipients),
    ...toLiterals(EVENT, rows.events),
  });
}

/**
 * Takes over the leases of processes that are known to be gone, so that their deliveries continue at once instead of after the leases
 * expire. Their attempts count, because their progress is unknown, and are shown as `sending`: the recipients may have the messages already,
 * so these can no longer be canceled. Returns how many leases there were.
 */
export async function takeLeasesOf(query: Query, leaseIds: readonly string[], now: Date): Promise<number> {
  return await takeLeases(query, { leaseIds, now });
}

const takeLeases = defineStatement(
  { leaseIds: value<readonly string[]>(), now: deliveries.nextAt },
  ({ leaseIds, now }) =>
    executing(sql`
    WITH under_way AS MATERIALIZED (
      SELECT account_id, id, message_id, ordinals FROM deliveries WHERE lease_id = ANY (${leaseIds}::uuid[])
      ORDER BY message_id, id
      FOR UPDATE
    ),${SHOW_AS_SENDING}
    UPDATE deliveries d SET lease_id = NULL, next_at = ${now} FROM under_way u WHERE d.account_id = u.account_id AND d.id = u.id`),
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
        AND (r.status = 'sending' OR r.status = 'queued' AND d.attempt > 0)
    )
    UPDATE messages m SET status = CASE WHEN d.attempt = 0 THEN 'queued' ELSE 'deferred' END
    FROM released d WHERE m.account_id = d.account_id AND m.id = d.message_id
      AND (m.status = 'sending' OR m.status = 'queued' AND d.attempt > 0)`),
);

/** Releases leased deliveries at once, as at shutdown, without counting the attempt that was not made. */
export async function releaseDeliveries(query: Query, attempts: readonly AttemptFence[], now: Date): Promise<void> {
  await release(query, { ...toArrays(LEASE, attempts), now });
}
