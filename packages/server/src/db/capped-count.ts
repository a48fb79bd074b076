import type { Query } from './client.ts';
import { type SQL, sql } from './drizzle.ts';
import { type Built, pg, returning } from './result.ts';

interface Counted {
  readonly count: number;
}

/** The first `cap` rows of a SELECT, for the FROM clause of a count that must not read all of a large table. */
export function rowsUpTo(cap: SQL | number, rows: SQL): SQL {
  return sql`(${rows} LIMIT ${cap}) AS counted`;
}

/** Counts the rows of a SELECT and stops at `cap`, so that a page does not pay for a log of millions of rows. */
export function countUpTo(cap: SQL, rows: SQL): Built<readonly Counted[]> {
  return returning({ count: pg.int4 }, sql`SELECT count(*)::int AS count FROM ${rowsUpTo(cap, rows)}`);
}

/** Turns a statement of `countUpTo` into a function that returns only the number. */
export function asCount<Values>(
  statement: (query: Query, values: Values) => Promise<readonly Counted[]>,
): (query: Query, values: Values) => Promise<number> {
  return async (query, values) => {
    const [row] = await statement(query, values);
    return row?.count ?? 0;
  };
}
