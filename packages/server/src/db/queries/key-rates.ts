import type { Sql } from '../client.ts';
import { sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

/** What one process requests from the rate limit of one key. */
export interface AllowanceAsk {
  readonly accountId: string;
  readonly keyId: string;
  /** Requests per minute. */
  readonly rateLimit: number;
  /** Waiting requests. */
  readonly needed: number;
  /** How many more requests to borrow in advance. */
  readonly extra: number;
  /** How many borrowed requests were not used. */
  readonly returned: number;
}

const take = defineStatement({ asks: value<string>(), leaseMs: value<number>() }, ({ asks, leaseMs }) =>
  returning(
    {
      /** How many of the waiting requests may proceed. */
      granted: pg.int4,
      /** How many more requests were lent, until the lease ends. */
      spare: pg.int4,
      /** What is left in the bucket. */
      remaining: pg.int4,
      /** Until the bucket is full. */
      fullMs: pg.float8,
      /** Until one more request is available. */
      nextMs: pg.float8,
      /** How long other processes may still keep requests that they will return; 0 if a rejection is final. */
      waitMs: pg.float8,
    },
    sql`
      SELECT granted, spare, remaining, full_ms AS "fullMs", next_ms AS "nextMs", wait_ms AS "waitMs"
      FROM take_allowance(${asks}::text::json, ${leaseMs}) ORDER BY o`,
  ),
);

/** The result; times are in milliseconds from now. */
export type Allowance = RowOf<typeof take>;

/** Takes rate limit tokens for many keys in one statement; the results are in the order of `asks`. Lent tokens are valid for `leaseMs`. */
export async function takeAllowance(
  query: Sql,
  asks: readonly AllowanceAsk[],
  leaseMs: number,
): Promise<readonly Allowance[]> {
  const rows = asks.map(({ accountId, keyId, rateLimit, needed, extra, returned }, o) => {
    return { o, a: accountId, k: keyId, r: rateLimit, n: needed, w: extra, b: returned };
  });
  return await take(query, { asks: JSON.stringify(rows), leaseMs });
}
