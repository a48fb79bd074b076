import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { arraysOf, columnNames, type RecordOf, toArrays, unnested } from '../record-columns.ts';
import { executing, pg, present, type ResultRow, returning } from '../result.ts';
import { deliveries } from '../schema/deliveries.ts';
import { defineStatement, value } from '../statement.ts';
import { SHOW_AS_SENDING } from './shown-attempts.ts';

export interface ClaimOptions {
  readonly leaseId: string;
  readonly now: Date;
  readonly leaseUntil: Date;
  /** Maximum number of rows in total. */
  readonly limit: number;
  /** The fair share of one account while other accounts also have due rows. */
  readonly perAccount: number;
  /** The scan of accounts, in order of id, continues after this one, so that no account is always first. */
  readonly afterAccount: string;
  readonly maxAccounts: number;
}

/**
 * Bytes of memory that the message of `deliveries d` needs: both bodies and all files. They are counted only if they are not known, which
 * reads neither bodies nor files.
 */
export const BYTES_OF_MESSAGE = sql`coalesce(d.bytes, (coalesce((SELECT coalesce(octet_length(b.html), 0) + coalesce(octet_length(b.text), 0)
      FROM message_bodies b WHERE b.account_id = d.account_id AND b.message_id = d.message_id), 0)
    + coalesce((SELECT sum(a.size) FROM message_attachments a
      WHERE a.account_id = d.account_id AND a.message_id = d.message_id), 0))::int)`;

/** Parameters of both claim statements. */
export const CLAIM = {
  leaseId: present(deliveries.leaseId),
  now: deliveries.nextAt,
  leaseUntil: deliveries.nextAt,
  limit: value<number>(),
  perAccount: value<number>(),
  afterAccount: deliveries.accountId,
  maxAccounts: value<number>(),
};

/** Columns that both claim statements return. `attempt` includes this attempt and starts at 1. */
export const CLAIMED = {
  accountId: deliveries.accountId,
  id: deliveries.id,
  messageId: deliveries.messageId,
  route: deliveries.route,
  /** The recipients' domain if the route delivers by destination; otherwise empty. */
  destination: deliveries.destination,
  ordinals: deliveries.ordinals,
  attempt: deliveries.attempt,
  expiresAt: deliveries.expiresAt,
  bytes: pg.int4,
};

export type ClaimedDelivery = ResultRow<typeof CLAIMED>;

/**
 * Leases due rows fairly. A loose index scan finds the accounts with due rows, and each gives up to its share; with few such accounts, the
 * shares grow. An account with hundreds of thousands of rows therefore never delays another account's new message. An account whose rows
 * are all leased or deferred costs one lookup and does not count toward `maxAccounts`, so such accounts hide no others.
 */
export const claimDeliveries = defineStatement(CLAIM, (options) =>
  returning(
    CLAIMED,
    sql`
    WITH RECURSIVE waiting AS (
      (SELECT account_id, next_at, (next_at <= ${options.now})::int AS n FROM deliveries
        WHERE account_id > ${options.afterAccount} ORDER BY account_id, next_at LIMIT 1)
      UNION ALL
      SELECT following.account_id, following.next_at, waiting.n + (following.next_at <= ${options.now})::int FROM waiting, LATERAL (
        SELECT account_id, next_at FROM deliveries WHERE account_id > waiting.account_id ORDER BY account_id, next_at LIMIT 1) AS following
      WHERE waiting.n < ${options.maxAccounts}
    ),
    due AS MATERIALIZED (
      SELECT account_id FROM waiting WHERE next_at <= ${options.now}
    ),
    picked AS MATERIALIZED (
      SELECT row.account_id, row.id FROM due, LATERAL (
        SELECT account_id, id FROM deliveries d
        WHERE d.account_id = due.account_id AND d.next_at <= ${options.now}
        ORDER BY d.next_at
        LIMIT (SELECT greatest(${options.perAccount}, ${options.limit} / greatest(count(*), 1)) FROM due)
        FOR UPDATE SKIP LOCKED) AS row
      LIMIT ${options.limit}
    )
    UPDATE deliveries d SET lease_id = ${options.leaseId}, next_at = ${options.leaseUntil}, attempt = d.attempt + 1
    FROM picked WHERE d.account_id = picked.account_id AND d.id = picked.id
    RETURNING d.account_id AS "accountId", d.id, d.message_id AS "messageId", d.route, d.destination,
      d.ordinals, d.attempt,
      d.expires_at AS "expiresAt", ${BYTES_OF_MESSAGE} AS bytes`,
  ),
);

const LEASE = { accountId: deliveries.accountId, id: deliveries.id, leaseId: present(deliveries.leaseId) };

export type Lease = RecordOf<typeof LEASE>;

const REQUEUED = { ...LEASE, nextAt: deliveries.nextAt };

export type RequeuedLease = RecordOf<typeof REQUEUED>;

const release = defineStatement(arraysOf(REQUEUED), (leases) =>
  executing(sql`
    WITH released AS (
      UPDATE deliveries d SET lease_id = NULL, next_at = l."nextAt", attempt = d.attempt - 1
      FROM ${unnested(REQUEUED, leases)} AS l (${columnNames(REQUEUED)})
      WHERE d.account_id = l."accountId" AND d.id = l.id AND d.lease_id = l."leaseId"
      RETURNING d.account_id, d.message_id, d.ordinals, d.attempt
    ),
    under_way AS MATERIALIZED (
      SELECT r.account_id, r.message_id, released.ordinals FROM released
      JOIN message_recipients r ON r.account_id = released.account_id AND r.message_id = released.message_id AND r.ordinal = released.ordinals[1]
      WHERE released.attempt > 0 AND r.status = 'queued'
    ),${SHOW_AS_SENDING}
    SELECT FROM released`),
);

/**
 * Releases claimed deliveries that were not started. The attempt does not count, and nothing else changes, except after an earlier attempt
 * that ended with its process before it was shown: without a lease, only the status can say that the recipients may have the message.
 */
export async function requeueDeliveries(query: Query, leases: readonly RequeuedLease[]): Promise<void> {
  await release(query, toArrays(REQUEUED, leases));
}

const ATTEMPT = { ...LEASE, attempt: deliveries.attempt };

const mark = defineStatement(arraysOf(ATTEMPT), (attempts) =>
  executing(sql`
    WITH under_way AS MATERIALIZED (
      SELECT d.account_id, d.message_id, d.ordinals FROM ${unnested(ATTEMPT, attempts)} AS a (${columnNames(ATTEMPT)})
      JOIN deliveries d ON d.account_id = a."accountId" AND d.id = a.id AND d.lease_id = a."leaseId" AND d.attempt = a.attempt
      ORDER BY d.message_id, d.id
      FOR UPDATE OF d SKIP LOCKED
    ),${SHOW_AS_SENDING}
    SELECT FROM under_way`),
);

/**
 * Shows attempts that are still in progress as `sending`. An attempt whose outcome is being recorded is not changed, because recording
 * locks the delivery too.
 */
export async function markSending(query: Query, attempts: readonly RecordOf<typeof ATTEMPT>[]): Promise<void> {
  await mark(query, toArrays(ATTEMPT, attempts));
}

const renew = defineStatement({ ...arraysOf(LEASE), until: deliveries.nextAt }, ({ until, ...leases }) =>
  executing(sql`
    UPDATE deliveries d SET next_at = ${until}
    FROM ${unnested(LEASE, leases)} AS l (${columnNames(LEASE)})
    WHERE d.account_id = l."accountId" AND d.id = l.id AND d.lease_id = l."leaseId"`),
);

/** Extends the leases that the caller still owns. */
export async function renewLeases(query: Query, leases: readonly Lease[], until: Date): Promise<void> {
  await renew(query, { ...toArrays(LEASE, leases), until });
}
