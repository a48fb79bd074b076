import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { arraysOf, columnNames, type RecordOf, recordColumns, toArrays, unnested } from '../record-columns.ts';
import { executing, narrowed, nullable, pg, present, type ResultRow, returning } from '../result.ts';
import type { approvals } from '../schema/approvals.ts';
import { deliveries } from '../schema/deliveries.ts';
import { messageBodies, type messageRecipients, messages, type messageTracking } from '../schema/messages.ts';
import type { approvalReceipts } from '../schema/receipts.ts';
import type { suppressions } from '../schema/suppressions.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { POSTMASTER_KEY_ID } from './postmaster-account.ts';
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

/** Bytes of memory that the message of `deliveries d` needs: both bodies and all files. Computing it reads neither bodies nor files. */
export const BYTES_OF_MESSAGE = sql`(coalesce((SELECT coalesce(octet_length(b.html), 0) + coalesce(octet_length(b.text), 0)
      FROM message_bodies b WHERE b.account_id = d.account_id AND b.message_id = d.message_id), 0)
    + coalesce((SELECT sum(a.size) FROM message_attachments a
      WHERE a.account_id = d.account_id AND a.message_id = d.message_id), 0))::int`;

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

const STARTED = {
  accountId: deliveries.accountId,
  id: deliveries.id,
  messageId: deliveries.messageId,
};

/** A recipient, with short names. `s` is why the address is currently suppressed; null if it is not. */
interface ContentRecipient {
  readonly o: typeof messageRecipients.$inferSelect.ordinal;
  readonly k: typeof messageRecipients.$inferSelect.kind;
  readonly n: typeof messageRecipients.$inferSelect.name;
  readonly e: typeof messageRecipients.$inferSelect.email;
  readonly s: typeof suppressions.$inferSelect.reason | null;
}

interface ContentHold {
  readonly id: typeof approvals.$inferSelect.id;
  readonly receipt: typeof approvalReceipts.$inferSelect.receipt | null;
}

const readContents = defineStatement(
  { claims: value<string>(), sealedKeyId: messages.keyId, now: value<Date>() },
  (given) =>
    returning(
      {
        accountId: messages.accountId,
        messageId: messages.id,
        /** Whether it is the installation's own mail, whose body is encrypted. */
        isSealed: pg.bool,
        createdAt: messages.createdAt,
        fromGiven: messages.fromGiven,
        fromDomain: messages.fromDomain,
        replyTo: messages.replyTo,
        subject: messages.subject,
        html: messageBodies.html,
        text: messageBodies.text,
        /** Null if the body is no longer stored. */
        headers: nullable(messageBodies.headers),
        hasBody: pg.bool,
        /** Total size of all files; 0 without files. The files themselves are read when the message is composed. */
        attachmentBytes: pg.int4,
        unsubscribe: messages.unsubscribe,
        /** Null if the message has neither an open pixel nor rewritten links. */
        tracking: nullable(narrowed<Pick<typeof messageTracking.$inferSelect, 'openPixel' | 'links'>>(pg.json)),
        recipients: narrowed<readonly ContentRecipient[]>(pg.json),
        /** Null if the message was never held. Its receipt is null until it is decided. */
        hold: nullable(narrowed<ContentHold>(pg.json)),
      },
      sql`
    WITH claimed AS MATERIALIZED (
      SELECT DISTINCT "accountId" AS account_id, "messageId" AS message_id
      FROM json_to_recordset(${given.claims}::text::json) AS g (${sql.raw(recordColumns(STARTED))})
    )
    SELECT m.account_id AS "accountId", m.id AS "messageId", m.key_id = ${given.sealedKeyId} AS "isSealed", m.created_at AS "createdAt", m.from_given AS "fromGiven",
      m.from_domain AS "fromDomain", m.reply_to AS "replyTo", m.subject, b.html, b.text, b.headers,
      b.message_id IS NOT NULL AS "hasBody",
      (SELECT coalesce(sum(a.size), 0)::int FROM message_attachments a
        WHERE a.account_id = c.account_id AND a.message_id = c.message_id) AS "attachmentBytes", m.unsubscribe,
      (SELECT json_build_object('openPixel', t.open_pixel, 'links', t.links)
        FROM message_tracking t WHERE t.account_id = c.account_id AND t.message_id = c.message_id) AS tracking,
      coalesce((SELECT json_agg(json_build_object('o', r.ordinal, 'k', r.kind, 'n', r.name, 'e', r.email, 's', s.reason) ORDER BY r.ordinal)
        FROM message_recipients r
        LEFT JOIN suppressions s ON s.account_id = r.account_id AND s.email = lower(r.email COLLATE "C") COLLATE "default"
          AND is_suppressing(s.expires_at, ${given.now})
        WHERE r.account_id = c.account_id AND r.message_id = c.message_id), '[]') AS recipients,
      (SELECT json_build_object('id', h.id, 'receipt', p.receipt)
        FROM approvals h LEFT JOIN approval_receipts p ON p.account_id = h.account_id AND p.approval_id = h.id
        WHERE h.account_id = c.account_id AND h.message_id = c.message_id) AS hold
    FROM claimed c
    -- OFFSET 0 prevents a hash join, which would read all messages of the account.
    JOIN LATERAL (SELECT * FROM messages WHERE account_id = c.account_id AND id = c.message_id OFFSET 0) AS m ON true
    LEFT JOIN message_bodies b ON b.account_id = c.account_id AND b.message_id = c.message_id`,
    ),
);

export type DeliveryContent = RowOf<typeof readContents>;

const drop = defineStatement(arraysOf(STARTED), (given) =>
  executing(sql`
    DELETE FROM deliveries d USING ${unnested(STARTED, given)} AS g (${columnNames(STARTED)})
    WHERE d.account_id = g."accountId" AND d.id = g.id
      AND NOT EXISTS (SELECT FROM messages m WHERE m.account_id = g."accountId" AND m.id = g."messageId")`),
);

/**
 * Returns what is needed to compose the claimed messages, in one round trip for the whole batch. A delivery whose message is gone from the
 * log is deleted, and its message is not in the result, since it could never be settled. The suppression list is read in the same
 * statement, so that no message is composed without it.
 */
export async function loadContents(
  query: Query,
  claimed: readonly ClaimedDelivery[],
  now: Date,
): Promise<readonly DeliveryContent[]> {
  const claims = claimed.map(
    ({ accountId, id, messageId }): RecordOf<typeof STARTED> => ({ accountId, id, messageId }),
  );
  const contents = await readContents(query, { claims: JSON.stringify(claims), sealedKeyId: POSTMASTER_KEY_ID, now });
  if (contents.length < new Set(claims.map(({ messageId }) => messageId)).size)
    await drop(query, toArrays(STARTED, claims));
  return contents;
}

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
