import { type CursorScope, decodeCursor, encodeCursor } from './cursor.ts';
import { countSeen, toTotal } from './total.ts';

/** What a list asks the database for: the row behind which the page begins, and one row more than the page shows. */
interface AskedRows {
  readonly before: string | null;
  readonly limit: number;
}

/** The rows that were read, how many match in all, and whether more follow; without that, the row beyond the page says it. */
type ReadRows<Row> = readonly [rows: readonly Row[], count: number, hasMore?: boolean];

interface KeysetPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly totalIsEstimate: boolean;
  readonly nextCursor: string | null;
}

/**
 * One page of a list in keyset order, with the total and the cursor of the next page.
 * @param idOf the id that the list is ordered by
 * @throws ProblemError `invalid_cursor` where the cursor is broken, or was made for something else
 */
export async function keysetPage<Row>(
  query: { readonly limit: number; readonly cursor?: string | undefined },
  scope: CursorScope,
  read: (asked: AskedRows) => Promise<ReadRows<Row>>,
  idOf: (row: Row) => string,
): Promise<KeysetPage<Row>> {
  const before = decodeCursor(query.cursor, scope);
  const [rows, count, hasMore = rows.length > query.limit] = await read({ before, limit: query.limit + 1 });
  const page = rows.slice(0, query.limit);
  const last = hasMore ? page.at(-1) : undefined;
  return {
    rows: page,
    ...toTotal(count, countSeen(rows, before)),
    nextCursor: last === undefined ? null : encodeCursor(idOf(last), scope),
  };
}
