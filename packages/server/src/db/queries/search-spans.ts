import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { returning } from '../result.ts';
import { messageSearch } from '../schema/search.ts';
import { defineStatement, type GivenOf, value } from '../statement.ts';
import { FILTERS, type MessageFilters, onSearch, toFilterValues } from './message-filters.ts';
import { FOUND, facetsOnce, idsOf, matchesWaiting, searched, spanOf, spans } from './search-matches.ts';

type Given = GivenOf<typeof FILTERS>;

/** Where a page continues below what has been scanned. */
export interface SpanRange {
  /** Only ids below this one. */
  readonly below: string;
  /** An id that no match is older than. */
  readonly oldest: string;
  readonly limit: number;
}

/** A condition on `s` that the index of the filters serves together with the facets. */
const inSpan = (span: SQL) => sql`${idsOf(span)} AND search_spans(s.account_id, s.message_id) @> ARRAY[${span}.key]`;

/**
 * Finds the newest matches span by span, so its time does not depend on the number of older matches. If a wide span has any match, its
 * narrow spans are read. The plan is a nested loop, because every part depends on the previous one, so rows are in order.
 */
const descend = defineStatement(
  {
    ...FILTERS,
    below: messageSearch.messageId,
    newest: value<number>(),
    oldest: value<number>(),
    limit: value<number>(),
  },
  ({ below, newest, oldest, limit, ...given }) => {
    const older = sql`AND s.message_id < ${below}`;
    return returning(
      FOUND,
      sql`
        SELECT found.id FROM ${spans(given, 5, sql`generate_series(${newest}::int, ${oldest}::int, -1) AS span`)} AS wide
        CROSS JOIN LATERAL (
          SELECT FROM own_message_search s WHERE ${onSearch(given, facetsOnce(given))} ${inSpan(sql`wide`)} ${older} LIMIT 1) AS any_match
        CROSS JOIN LATERAL ${spans(given, 6, sql`generate_series(wide.span * 16 + 15, wide.span * 16, -1) AS span`)} AS narrow
        CROSS JOIN LATERAL (
          SELECT s.message_id AS id FROM ${searched(given, sql`${inSpan(sql`narrow`)} ${older}`, facetsOnce(given))}
          ORDER BY s.message_id DESC OFFSET 0) AS found
        LIMIT ${limit}`,
    );
  },
  { keepsPlan: true },
);

/** The newest indexed matches of filters without a text. */
export async function findInSpans(
  query: Query,
  filters: MessageFilters,
  { below, oldest, limit }: SpanRange,
): Promise<readonly string[]> {
  const ends = { below, newest: spanOf(below), oldest: spanOf(oldest), limit };
  const rows = await descend(query, { ...toFilterValues(filters), ...ends });
  return rows.map(({ id }) => id);
}

/** The span of the account's newest or oldest row. */
const endOf = ({ accountId }: Given, order: SQL) => sql`(
  SELECT ('x' || left(message_id::text, 5))::bit(20)::int FROM own_message_search WHERE account_id = ${accountId}
  ORDER BY message_id ${order} LIMIT 1)`;

const everySpan = (given: Given) =>
  sql`generate_series(${endOf(given, sql`DESC`)}, ${endOf(given, sql`ASC`)}, -1) AS span`;

const count = asCount(
  defineStatement(
    { ...FILTERS, cap: value<number>() },
    ({ cap, ...given }) =>
      countUpTo(
        cap,
        sql`
        SELECT FROM (
          (${matchesWaiting(given)})
          UNION ALL
          (SELECT found.message_id FROM ${spans(given, 5, everySpan(given))} AS wide
            CROSS JOIN LATERAL (SELECT s.message_id FROM ${searched(given, inSpan(sql`wide`), facetsOnce(given))} OFFSET 0) AS found)) AS matches`,
      ),
    { keepsPlan: true },
  ),
);

/** Counts the matches of filters without a text up to `cap`. Frequent values reach it in the first spans. */
export async function countInSpans(query: Query, filters: MessageFilters, cap: number): Promise<number> {
  return await count(query, { ...toFilterValues(filters), cap });
}
