import type { Sql } from '../client.ts';

/** What one process asks of the rate limit of one key. */
export interface AllowanceAsk {
  readonly accountId: string;
  readonly keyId: string;
  /** Requests a minute. */
  readonly rateLimit: number;
  /** Requests that wait for an answer. */
  readonly needed: number;
  /** How many more to take along. */
  readonly wished: number;
  /** Of what was lent before and not used. */
  readonly returned: number;
}

/** What came of it; times in milliseconds from now. */
export interface Allowance {
  /** How many of those that wait may go. */
  readonly granted: number;
  /** Lent beyond them, for the life of a lease. */
  readonly spare: number;
  /** Free in the bucket after this. */
  readonly remaining: number;
  /** Until the whole allowance is there again. */
  readonly fullMs: number;
  /** Until there is allowance for one more request. */
  readonly nextMs: number;
  /** How long other processes may still hold what they will give back; 0 where what is refused is refused for good. */
  readonly waitMs: number;
}

/** Takes allowance for many keys in one statement; the answers are in the order of the asks. `leaseMs`: how long what is lent is held. */
export async function takeAllowance(
  sql: Sql,
  asks: readonly AllowanceAsk[],
  leaseMs: number,
): Promise<readonly Allowance[]> {
  const rows = asks.map(({ accountId, keyId, rateLimit, needed, wished, returned }, o) => {
    return { o, a: accountId, k: keyId, r: rateLimit, n: needed, w: wished, b: returned };
  });
  return await sql<Allowance[]>`
    SELECT granted, spare, remaining, full_ms AS "fullMs", next_ms AS "nextMs", wait_ms AS "waitMs"
    FROM take_allowance(${JSON.stringify(rows)}::text::json, ${leaseMs}) ORDER BY o`;
}
