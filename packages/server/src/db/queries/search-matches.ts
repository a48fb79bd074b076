import { type SQL, sql } from '../drizzle.ts';
import { present } from '../result.ts';
import { messageSearch } from '../schema/search.ts';
import type { GivenOf } from '../statement.ts';
import { type FILTERS, joinLog, onMessages, onSearch } from './message-filters.ts';

type Given = GivenOf<typeof FILTERS>;

/** The view shows a column that is never null, but the catalog does not record that for views. */
export const FOUND = { id: present(messageSearch.messageId) };

/**
 * The matches of the search table, `s`. If some conditions need the log, the search is a subquery of its own (OFFSET 0): joined to a table
 * with row-level security in the same query, it could not use its index, whose operators may run only after the policies.
 */
export function searched(given: Given, between?: SQL, facets?: SQL): SQL {
  const matches = sql`own_message_search s WHERE ${onSearch(given, facets)} ${between}`;
  const join = joinLog(given);
  return join === undefined ? matches : sql`(SELECT s.message_id FROM ${matches} OFFSET 0) AS s ${join}`;
}

/** The hashes of the facets for `onSearch`, computed once. A reused plan would otherwise compute them for each row or span. */
export function facetsOnce({ accountId, facets }: Given): SQL | undefined {
  return facets && sql`(SELECT search_facets(${accountId}, ${facets}::text[]))`;
}

/** Matches among the messages in the backlog, according to the log itself. */
export function matchesWaiting(given: Given): SQL {
  return sql`
    SELECT m.id FROM (
      SELECT DISTINCT unnest(message_ids) AS id FROM search_backlog WHERE account_id = ${given.accountId}) AS noted
    JOIN own_messages m ON m.id = noted.id WHERE ${onMessages(given)}`;
}

/** The span of an id; see `spans`. */
export function spanOf(id: string): number {
  return Number.parseInt(id.slice(0, 5), 16);
}

/**
 * Spans as rows. A span is a range of ids with the same first digits: five digits are three days, six are five hours. `first` and `last` are
 * the bounds of its ids, and `key` is its entry in the index of the filters (migration 0052). They are computed here (OFFSET 0), because in
 * a condition they would be computed for every row.
 * @param of rows with the column `span`, the digits as a number
 */
export function spans({ accountId }: Pick<Given, 'accountId'>, digits: 5 | 6, of: SQL): SQL {
  const prefix = sql`lpad(to_hex(span), ${sql.raw(String(digits))}, '0')`;
  return sql`(
    SELECT span, rpad(${prefix}, 32, '0')::uuid AS first, rpad(${prefix}, 32, 'f')::uuid AS last, search_facet(${accountId}, 'span:' || ${prefix}) AS key
    FROM ${of} OFFSET 0)`;
}

/** The condition that an id is in the span; it also selects the partition. */
export function idsOf(span: SQL): SQL {
  return sql`AND s.message_id >= ${span}.first AND s.message_id <= ${span}.last`;
}
