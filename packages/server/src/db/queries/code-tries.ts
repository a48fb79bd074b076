import type { Query } from '../client.ts';

/** A user or a client address, and how many codes it may try after a moment. */
export interface CodeTry {
  readonly triedBy: string;
  readonly limit: number;
  readonly after: Date;
  readonly now: Date;
}

/** Counts a try. @returns false, and counts nothing, where none is left; of two who ask for the last one at once, one gets it */
export async function takeCodeTry(query: Query, { triedBy, limit, after, now }: CodeTry): Promise<boolean> {
  const rows = await query`
    INSERT INTO code_tries AS c (tried_by, tried_at, last_at) VALUES (${triedBy}, ARRAY[${now}::timestamptz], ${now})
    ON CONFLICT (tried_by) DO UPDATE
    SET tried_at = array(SELECT t FROM unnest(c.tried_at) AS t WHERE t > ${after} ORDER BY t) || excluded.tried_at, last_at = excluded.last_at
    WHERE (SELECT count(*) FROM unnest(c.tried_at) AS t WHERE t > ${after}) < ${limit}
    RETURNING 1`;
  return rows.length > 0;
}

/** When the oldest counted try was; null where none is counted. */
export async function findOldestCodeTry(query: Query, triedBy: string, after: Date): Promise<Date | null> {
  const [row] = await query<{ oldest: Date | null }[]>`
    SELECT (SELECT min(t) FROM unnest(c.tried_at) AS t WHERE t > ${after}) AS oldest FROM code_tries c WHERE c.tried_by = ${triedBy}`;
  return row?.oldest ?? null;
}
