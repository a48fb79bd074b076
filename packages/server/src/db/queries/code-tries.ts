import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { nullable, pg, returning } from '../result.ts';
import { codeTries } from '../schema/sessions.ts';
import { defineStatement, value } from '../statement.ts';

/** A user or a client address, and how many codes it may try after a point in time. */
export interface CodeTry {
  readonly triedBy: string;
  readonly limit: number;
  readonly after: Date;
  readonly now: Date;
}

const take = defineStatement(
  { triedBy: codeTries.triedBy, limit: value<number>(), after: value<Date>(), now: codeTries.lastAt },
  ({ triedBy, limit, after, now }) =>
    returning(
      { triedBy: codeTries.triedBy },
      sql`
        INSERT INTO code_tries AS c (tried_by, tried_at, last_at) VALUES (${triedBy}, ARRAY[${now}::timestamptz], ${now})
        ON CONFLICT (tried_by) DO UPDATE
        SET tried_at = array(SELECT t FROM unnest(c.tried_at) AS t WHERE t > ${after} ORDER BY t) || excluded.tried_at, last_at = excluded.last_at
        WHERE (SELECT count(*) FROM unnest(c.tried_at) AS t WHERE t > ${after}) < ${limit}
        RETURNING tried_by AS "triedBy"`,
    ),
);

/**
 * Counts a try.
 * @returns false, without counting, if none is left. Of two concurrent calls for the last one, only one gets it.
 */
export async function takeCodeTry(query: Query, { triedBy, limit, after, now }: CodeTry): Promise<boolean> {
  return (await take(query, { triedBy, limit, after, now })).length > 0;
}

const findOldest = defineStatement({ triedBy: codeTries.triedBy, after: value<Date>() }, ({ triedBy, after }) =>
  returning(
    { oldest: nullable(pg.timestamptz) },
    sql`
        SELECT (SELECT min(t) FROM unnest(c.tried_at) AS t WHERE t > ${after}) AS oldest
        FROM code_tries c WHERE c.tried_by = ${triedBy}`,
  ),
);

/** The time of the oldest counted try; null if none is counted. */
export async function findOldestCodeTry(query: Query, triedBy: string, after: Date): Promise<Date | null> {
  const [row] = await findOldest(query, { triedBy, after });
  return row?.oldest ?? null;
}
