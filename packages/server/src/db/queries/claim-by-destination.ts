import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { type RecordOf, recordColumns } from '../record-columns.ts';
import { narrowed, nullable, pg, returning } from '../result.ts';
import { deliveries } from '../schema/deliveries.ts';
import { defineStatement, value } from '../statement.ts';
import { BYTES_OF_MESSAGE, CLAIM, type ClaimedDelivery, type ClaimOptions } from './claim-deliveries.ts';

export interface DestinationClaimOptions extends ClaimOptions {
  /** Free capacity of destinations, by name: how many more rows each may receive. */
  readonly rooms: readonly RecordOf<typeof ROOM>[];
  /** Free capacity of every other destination. */
  readonly otherRoom: number;
  /** Per account with more destinations than one claim can scan: the destination after which the scan continues. */
  readonly lookAfter: readonly DestinationCursor[];
  /** Whether to scan the destinations of accounts that may have more due rows than the oldest ones read. */
  readonly isLooking: boolean;
}

const ROOM = { d: deliveries.destination, n: pg.int4 };

const CURSOR = { account: deliveries.accountId, after: deliveries.destination };

export type DestinationCursor = RecordOf<typeof CURSOR>;

export interface DestinationClaim {
  readonly claims: readonly ClaimedDelivery[];
  readonly lookAfter: readonly DestinationCursor[];
  /** The last account scanned if more may follow; otherwise null. */
  readonly lastAccount: string | null;
  /** Maximum number of rows per account in this claim. */
  readonly share: number;
}

/** Destination lookups and oldest rows per claim, over all accounts together. They bound the cost of one claim. */
const LOOKS = 100;
const OLDEST_ROWS = 200;
/** No limit for rows without a destination: their route decides where they are sent. */
const UNBOUNDED = 1_000_000;

/** A claim as JSON represents it. */
type ClaimRecord = Omit<ClaimedDelivery, 'expiresAt'> & { readonly expiresAtMs: number };

const claim = defineStatement(
  {
    ...CLAIM,
    rooms: value<string>(),
    otherRoom: value<number>(),
    lookAfter: value<string>(),
    isLooking: value<boolean>(),
  },
  (options) =>
    returning(
      {
        claims: nullable(narrowed<readonly ClaimRecord[]>(pg.json)),
        lookAfter: nullable(narrowed<readonly DestinationCursor[]>(pg.json)),
        lastAccount: nullable(deliveries.accountId),
        share: nullable(pg.int4),
      },
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
      SELECT w.account_id, shares.*, c.after FROM waiting w
      CROSS JOIN (SELECT greatest(${options.perAccount}, ${options.limit} / greatest(count(*), 1))::int AS share,
        greatest(1, ${LOOKS} / greatest(count(*), 1))::int AS looks, greatest(5, ${OLDEST_ROWS} / greatest(count(*), 1))::int AS oldest
        FROM waiting WHERE next_at <= ${options.now}) AS shares
      LEFT JOIN json_to_recordset(${options.lookAfter}::text::json) AS c (${sql.raw(recordColumns(CURSOR))}) ON c.account = w.account_id
      WHERE w.next_at <= ${options.now}
    ),
    rooms AS MATERIALIZED (
      SELECT d, n FROM json_to_recordset(${options.rooms}::text::json) AS r (${sql.raw(recordColumns(ROOM))})
    ),
    oldest AS MATERIALIZED (
      SELECT due.account_id, due.share, row.* FROM due, LATERAL (
        SELECT d.id, d.destination, d.next_at FROM deliveries d
        WHERE d.account_id = due.account_id AND d.next_at <= ${options.now} ORDER BY d.next_at LIMIT due.oldest) AS row
    ),
    looked AS MATERIALIZED (
      SELECT due.account_id, due.share, due.looks, look.* FROM due
      JOIN (SELECT account_id, count(*) AS n FROM oldest GROUP BY account_id) AS seen ON seen.account_id = due.account_id AND seen.n >= due.oldest AND ${options.isLooking},
      LATERAL (
        WITH RECURSIVE look AS (
          (SELECT d.destination, d.next_at, 1 AS n FROM deliveries d
            WHERE d.account_id = due.account_id AND d.destination <> '' AND d.destination > coalesce(due.after, '')
            ORDER BY d.destination, d.next_at LIMIT 1)
          UNION ALL
          SELECT following.destination, following.next_at, look.n + 1 FROM look, LATERAL (
            SELECT d.destination, d.next_at FROM deliveries d
            WHERE d.account_id = due.account_id AND d.destination <> '' AND d.destination > look.destination
            ORDER BY d.destination, d.next_at LIMIT 1) AS following
          WHERE look.n < due.looks
        )
        SELECT * FROM look) AS look
    ),
    spread AS MATERIALIZED (
      SELECT greatest(2, 2 * ${options.limit} / greatest(count(*), 1))::int AS each
      FROM looked l LEFT JOIN rooms r ON r.d = l.destination WHERE l.next_at <= ${options.now} AND coalesce(r.n, ${options.otherRoom}) > 0
    ),
    found AS (
      SELECT account_id, share, id, destination, next_at FROM oldest
      UNION
      SELECT l.account_id, l.share, row.id, l.destination, row.next_at FROM looked l LEFT JOIN rooms r ON r.d = l.destination, LATERAL (
        SELECT d.id, d.next_at FROM deliveries d
        WHERE d.account_id = l.account_id AND d.destination <> '' AND d.destination = l.destination AND d.next_at <= ${options.now}
        ORDER BY d.next_at LIMIT least(coalesce(r.n, ${options.otherRoom}), l.share, (SELECT each FROM spread))) AS row
      WHERE l.next_at <= ${options.now}
    ),
    numbered AS (
      SELECT *, row_number() OVER (PARTITION BY account_id, destination ORDER BY next_at, id) AS nth FROM found
    ),
    placed AS (
      SELECT *, row_number() OVER (PARTITION BY destination ORDER BY nth, random()) AS place FROM numbered
    ),
    taken AS (
      SELECT p.account_id, p.id, p.share, row_number() OVER (PARTITION BY p.account_id ORDER BY p.nth, p.next_at, p.id) AS rank
      FROM placed p LEFT JOIN rooms r ON r.d = p.destination
      WHERE p.place <= CASE WHEN p.destination = '' THEN ${UNBOUNDED} ELSE coalesce(r.n, ${options.otherRoom}) END
    ),
    chosen AS MATERIALIZED (
      SELECT account_id, id FROM taken WHERE rank <= share ORDER BY rank, random() LIMIT ${options.limit}
    ),
    picked AS MATERIALIZED (
      SELECT d.account_id, d.id FROM chosen c JOIN deliveries d ON d.account_id = c.account_id AND d.id = c.id
      WHERE d.next_at <= ${options.now}
      FOR UPDATE OF d SKIP LOCKED
    ),
    claimed AS (
      UPDATE deliveries d SET lease_id = ${options.leaseId}, next_at = ${options.leaseUntil}, attempt = d.attempt + 1
      FROM picked WHERE d.account_id = picked.account_id AND d.id = picked.id
      RETURNING d.account_id, d.id, d.message_id, d.route, d.destination, d.ordinals, d.attempt, d.expires_at,
        ${BYTES_OF_MESSAGE} AS bytes
    )
    SELECT
      (SELECT json_agg(json_build_object('accountId', account_id, 'id', id, 'messageId', message_id, 'route', route,
        'destination', destination, 'ordinals', ordinals, 'attempt', attempt, 'bytes', bytes,
        'expiresAtMs', round(extract(epoch FROM expires_at) * 1000))) FROM claimed) AS claims,
      (SELECT json_agg(json_build_object('account', account_id, 'after', destination)) FROM looked WHERE n = looks) AS "lookAfter",
      (SELECT account_id FROM waiting WHERE n >= ${options.maxAccounts} ORDER BY account_id DESC LIMIT 1) AS "lastAccount",
      (SELECT share FROM due LIMIT 1) AS share`,
    ),
);

/**
 * Leases due rows fairly across accounts and destinations, up to each destination's free capacity. If `isLooking` is set, it also reads each
 * account's destinations, one lookup each, so that a long backlog for a blocked destination does not hide the others. Accounts that compete
 * for the same capacity are served in random order.
 */
export async function claimByDestination(query: Query, options: DestinationClaimOptions): Promise<DestinationClaim> {
  const { rooms, lookAfter, ...others } = options;
  const given = { ...others, rooms: JSON.stringify(rooms), lookAfter: JSON.stringify(lookAfter) };
  const [row] = await claim(query, given);
  const claims = (row?.claims ?? []).map(({ expiresAtMs, ...claim }) => ({
    ...claim,
    expiresAt: new Date(expiresAtMs),
  }));
  return { claims, lookAfter: row?.lookAfter ?? [], lastAccount: row?.lastAccount ?? null, share: row?.share ?? 0 };
}
