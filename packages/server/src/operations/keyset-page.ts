import { type CursorScope, decodeCursor, encodeCursor } from './cursor.ts';
import { countSeen, toTotal } from './total.ts';

/** The query of a list: the row after which the page begins, and a limit of one row more than the page shows. */
interface AskedRows {
  readonly before: string | null;
  readonly limit: number;
}

/** The rows that were read, the number of matches, and whether more follow. If `hasMore` is absent, the extra row decides it. */
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
 * @throws ProblemError `invalid_cursor` if the cursor is malformed or belongs to another list
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
