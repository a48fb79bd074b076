import type { Query } from '../client.ts';

/** Names one attempt: what it did counts only while the delivery still belongs to it. */
export interface AttemptFence {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly messageId: string;
  readonly leaseId: string;
  readonly attempt: number;
}

/** What is known of a message whose other recipients belong to other deliveries, as one snapshot. */
export interface RecipientStatusRow {
  readonly messageId: string;
  readonly eventCount: number;
  readonly ordinal: number;
  readonly status: string;
}

/** The state of every recipient of the given messages. Nothing is locked: `writeOutcomes` refuses what went stale meanwhile. */
export async function readRecipientStatuses(
  query: Query,
  messages: readonly { readonly accountId: string; readonly messageId: string }[],
): Promise<readonly RecipientStatusRow[]> {
  return await query<RecipientStatusRow[]>`
    SELECT r.message_id AS "messageId", m.event_count AS "eventCount", r.ordinal, r.status
    FROM unnest(${messages.map((m) => m.accountId)}::uuid[], ${messages.map((m) => m.messageId)}::uuid[]) AS given (account_id, message_id)
    JOIN messages m ON m.account_id = given.account_id AND m.id = given.message_id
    JOIN message_recipients r ON r.account_id = m.account_id AND r.message_id = m.id`;
}

/** Everything a batch of attempts changes. */
export interface OutcomeRows {
  /** Of each message at most one. */
  readonly attempts: readonly AttemptRow[];
  readonly recipients: readonly { readonly message: string; readonly ordinal: number; readonly status: string }[];
  readonly events: readonly {
    readonly message: string;
    /** From 1 among the events of this attempt. */
    readonly n: number;
    readonly id: string;
    readonly type: string;
    readonly recipient: string;
    readonly classification: string | null;
    readonly detail: string | null;
    readonly at: string;
  }[];
}

export interface AttemptRow {
  readonly account: string;
  readonly delivery: string;
  readonly message: string;
  readonly lease: string;
  readonly attempt: number;
  /** 1 where the attempt does not count, else 0. */
  readonly uncounted: number;
  /** The message's events when its other recipients were read; null where none were, so that nothing can be stale. */
  readonly seen: number | null;
  readonly status: string;
  readonly events: number;
  /** Null leaves the former one standing, save where all recipients have the message now: then none is left. */
  readonly error: string | null;
  /** When the delivery goes on, and for whom; null where it is done. */
  readonly next_at: string | null;
  readonly ordinals: readonly number[] | null;
}

export interface WrittenOutcome {
  readonly deliveryId: string;
  /** False where the message had further events than were seen: it has to be decided anew. */
  readonly isWritten: boolean;
}

/**
 * Writes outcomes in one statement: each attempt whole or not at all. An attempt that is missing from the answer was overtaken (another
 * worker has the delivery, or it is settled) and changed nothing. Deliveries and messages are locked in one order, the deliveries first,
 * so that two workers cannot wait for each other.
 */
export async function writeOutcomes(query: Query, rows: OutcomeRows): Promise<readonly WrittenOutcome[]> {
  return await query<WrittenOutcome[]>`
    WITH given AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows.attempts)}::text::json) AS g (
        account uuid, delivery uuid, message uuid, lease uuid, attempt integer, uncounted integer, seen integer, status text, events integer, error text,
        next_at timestamptz, ordinals smallint[])
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
      FROM json_to_recordset(${JSON.stringify(rows.recipients)}::text::json) AS s (message uuid, ordinal smallint, status text)
      JOIN present p ON p.message = s.message
      WHERE r.account_id = p.account AND r.message_id = p.message AND r.ordinal = s.ordinal
    ),
    told AS (
      INSERT INTO message_events (account_id, message_id, seq, id, type, recipient, classification, detail, created_at)
      SELECT p.account, p.message, p.event_count + e.n, e.id, e.type, e.recipient, e.classification, e.detail, e.at
      FROM json_to_recordset(${JSON.stringify(rows.events)}::text::json) AS e (
        message uuid, n integer, id uuid, type text, recipient text, classification text, detail text, at timestamptz)
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
    SELECT delivery AS "deliveryId", seen IS NULL OR seen = event_count AS "isWritten" FROM locked`;
}

/**
 * Takes the leases of processes that are known to be gone, so that what they had begun goes on at once and not when the leases run out.
 * Their attempts count: nobody knows how far they came. Answers how many there were.
 */
export async function takeLeasesOf(query: Query, leaseIds: readonly string[], now: Date): Promise<number> {
  const rows = await query`
    UPDATE deliveries SET lease_id = NULL, next_at = ${now} WHERE lease_id = ANY (${[...leaseIds]}::uuid[]) RETURNING 1`;
  return rows.length;
}

/** Gives leased deliveries back at once, as at shutdown, without counting the attempt that was not made. */
export async function releaseDeliveries(query: Query, attempts: readonly AttemptFence[], now: Date): Promise<void> {
  await query`
    WITH released AS (
      UPDATE deliveries d SET lease_id = NULL, next_at = ${now}, attempt = d.attempt - 1
      FROM unnest(${attempts.map((a) => a.accountId)}::uuid[], ${attempts.map((a) => a.deliveryId)}::uuid[], ${attempts.map((a) => a.leaseId)}::uuid[])
        AS a (account_id, id, lease_id)
      WHERE d.account_id = a.account_id AND d.id = a.id AND d.lease_id = a.lease_id
      RETURNING d.account_id, d.message_id, d.ordinals, d.attempt
    ),
    waiting AS (
      UPDATE message_recipients r SET status = CASE WHEN d.attempt = 0 THEN 'queued' ELSE 'deferred' END
      FROM released d WHERE r.account_id = d.account_id AND r.message_id = d.message_id AND r.ordinal = ANY (d.ordinals)
    )
    UPDATE messages m SET status = CASE WHEN d.attempt = 0 THEN 'queued' ELSE 'deferred' END
    FROM released d WHERE m.account_id = d.account_id AND m.id = d.message_id AND m.status = 'sending'`;
}
