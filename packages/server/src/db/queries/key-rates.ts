import type { Sql } from '../client.ts';
import { sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

/** What one process asks of the rate limit of one key. */
export interface AllowanceAsk {
  readonly accountId: string;
  readonly keyId: string;
  /** Requests a minute. */
  readonly rateLimit: number;
  /** Requests that wait. */
  readonly needed: number;
  /** How many more to take along. */
  readonly wished: number;
  /** Of what was lent before and not used. */
  readonly returned: number;
}

const take = defineStatement({ asks: value<string>(), leaseMs: value<number>() }, ({ asks, leaseMs }) =>
  returning(
    {
      /** How many of those that wait may go. */
      granted: pg.int4,
      /** Lent beyond them, for the life of a lease. */
      spare: pg.int4,
      /** Free in the bucket after this. */
      remaining: pg.int4,
      /** Until the whole allowance is there again. */
      fullMs: pg.float8,
      /** Until there is allowance for one more request. */
      nextMs: pg.float8,
      /** How long other processes may still keep what they will give back; 0 where a refusal is final. */
      waitMs: pg.float8,
    },
    sql`
      SELECT granted, spare, remaining, full_ms AS "fullMs", next_ms AS "nextMs", wait_ms AS "waitMs"
      FROM take_allowance(${asks}::text::json, ${leaseMs}) ORDER BY o`,
  ),
);

/** What came of it; times in milliseconds from now. */
export type Allowance = RowOf<typeof take>;

/** Takes allowance for many keys in one statement; the results are in the order of the asks. `leaseMs`: how long what is lent is kept. */
export async function takeAllowance(
  query: Sql,
  asks: readonly AllowanceAsk[],
  leaseMs: number,
): Promise<readonly Allowance[]> {
  const rows = asks.map(({ accountId, keyId, rateLimit, needed, wished, returned }, o) => {
    return { o, a: accountId, k: keyId, r: rateLimit, n: needed, w: wished, b: returned };
  });
  return await take(query, { asks: JSON.stringify(rows), leaseMs });
}
