import type { Query, Transaction } from '../client.ts';

/** Names one attempt: what it did counts only while the delivery still belongs to it. */
export interface AttemptFence {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly messageId: string;
  readonly leaseId: string;
  readonly attempt: number;
}

export interface LockedAttempt {
  readonly deliveryId: string;
  readonly messageId: string;
  readonly eventCount: number;
}

/**
 * Locks the deliveries whose attempt is still the current one, with their messages, always in the same order so that two workers cannot
 * wait for each other. An attempt that is missing from the answer was overtaken: another worker has the delivery, or it is settled.
 */
export async function lockAttempts(
  transaction: Transaction,
  attempts: readonly AttemptFence[],
): Promise<readonly LockedAttempt[]> {
  return await transaction<LockedAttempt[]>`
    SELECT d.id AS "deliveryId", m.id AS "messageId", m.event_count AS "eventCount"
    FROM unnest(${attempts.map((a) => a.accountId)}::uuid[], ${attempts.map((a) => a.deliveryId)}::uuid[],
      ${attempts.map((a) => a.leaseId)}::uuid[], ${attempts.map((a) => a.attempt)}::int[]) AS a (account_id, id, lease_id, attempt)
    JOIN deliveries d ON d.account_id = a.account_id AND d.id = a.id AND d.lease_id = a.lease_id AND d.attempt = a.attempt
    JOIN messages m ON m.account_id = d.account_id AND m.id = d.message_id
    ORDER BY m.id, d.id
    FOR UPDATE OF d, m`;
}

export interface RecipientStatusRow {
  readonly messageId: string;
  readonly ordinal: number;
  readonly status: string;
}

/** The state of every recipient of the given messages; read after the locks are held, so that it is the present one. */
export async function readRecipientStatuses(
  query: Query,
  messages: readonly { readonly accountId: string; readonly messageId: string }[],
): Promise<readonly RecipientStatusRow[]> {
  return await query<RecipientStatusRow[]>`
    SELECT r.message_id AS "messageId", r.ordinal, r.status
    FROM unnest(${messages.map((m) => m.accountId)}::uuid[], ${messages.map((m) => m.messageId)}::uuid[]) AS m (account_id, message_id)
    JOIN message_recipients r ON r.account_id = m.account_id AND r.message_id = m.message_id`;
}

/** Everything a batch of attempts changes. Names are the columns'. */
export interface OutcomeRows {
  readonly messages: readonly {
    readonly account_id: string;
    readonly id: string;
    readonly status: string;
    readonly event_count: number;
    readonly last_error: string | null;
  }[];
  readonly recipients: readonly {
    readonly account_id: string;
    readonly message_id: string;
    readonly ordinal: number;
    readonly status: string;
  }[];
  readonly events: readonly {
    readonly account_id: string;
    readonly message_id: string;
    readonly seq: number;
    readonly id: string;
    readonly type: string;
    readonly recipient: string | null;
    readonly classification: string | null;
    readonly detail: string | null;
    readonly created_at: string;
  }[];
  /** Deliveries that are done. */
  readonly finished: readonly { readonly account_id: string; readonly id: string }[];
  /** Deliveries that go on later with these recipients. */
  readonly retried: readonly {
    readonly account_id: string;
    readonly id: string;
    readonly ordinals: readonly number[];
    readonly next_at: string;
  }[];
}

/** Writes outcomes in one statement. `last_error` null leaves the former one standing. */
export async function writeOutcomes(transaction: Transaction, rows: OutcomeRows): Promise<void> {
  await transaction`
    WITH input AS MATERIALIZED (SELECT ${JSON.stringify(rows)}::text::json AS j),
    finished AS (
      DELETE FROM deliveries d USING input, json_to_recordset(j -> 'finished') AS f (account_id uuid, id uuid)
      WHERE d.account_id = f.account_id AND d.id = f.id
    ),
    retried AS (
      UPDATE deliveries d SET ordinals = f.ordinals, next_at = f.next_at, lease_id = NULL
      FROM input, json_to_recordset(j -> 'retried') AS f (account_id uuid, id uuid, ordinals smallint[], next_at timestamptz)
      WHERE d.account_id = f.account_id AND d.id = f.id
    ),
    settled AS (
      UPDATE message_recipients r SET status = s.status
      FROM input, json_to_recordset(j -> 'recipients') AS s (account_id uuid, message_id uuid, ordinal smallint, status text)
      WHERE r.account_id = s.account_id AND r.message_id = s.message_id AND r.ordinal = s.ordinal
    ),
    told AS (
      INSERT INTO message_events (account_id, message_id, seq, id, type, recipient, classification, detail, created_at)
      SELECT e.* FROM input, json_to_recordset(j -> 'events') AS e (account_id uuid, message_id uuid, seq integer, id uuid, type text,
        recipient text, classification text, detail text, created_at timestamptz)
    )
    UPDATE messages m SET status = s.status, event_count = s.event_count, last_error = coalesce(s.last_error, m.last_error)
    FROM input, json_to_recordset(j -> 'messages') AS s (account_id uuid, id uuid, status text, event_count integer, last_error text)
    WHERE m.account_id = s.account_id AND m.id = s.id`;
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
