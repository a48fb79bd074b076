import type { Query } from './client.ts';
import { type SQL, sql } from './drizzle.ts';
import { type Built, pg, returning } from './result.ts';

interface Counted {
  readonly count: number;
}

/** The first `cap` of the rows of a SELECT, for the FROM of a count that must not read all of a large table. */
export function rowsUpTo(cap: SQL | number, rows: SQL): SQL {
  return sql`(${rows} LIMIT ${cap}) AS counted`;
}

/** Counts the rows of a SELECT, but never past `cap`: a page must not pay for a log of millions. */
export function countUpTo(cap: SQL, rows: SQL): Built<readonly Counted[]> {
  return returning({ count: pg.int4 }, sql`SELECT count(*)::int AS count FROM ${rowsUpTo(cap, rows)}`);
}

/** A statement of `countUpTo` as a function that returns the number alone. */
export function asCount<Values>(
  statement: (query: Query, values: Values) => Promise<readonly Counted[]>,
): (query: Query, values: Values) => Promise<number> {
  return async (query, values) => {
    const [row] = await statement(query, values);
    return row?.count ?? 0;
  };
}
