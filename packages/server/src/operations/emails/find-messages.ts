import type { Sql } from '../../db/client.ts';
import { type MessageFilters, needsSearch } from '../../db/queries/message-filters.ts';
import { countMessages, listMessages, type MessageRow, readMessages } from '../../db/queries/read-messages.ts';
import { countMatches, type SearchPosition, searchMessages } from '../../db/queries/search-messages.ts';
import { EXACT_COUNT_CAP } from '../total.ts';

/**
 * A page of messages that match, newest first, and how many match, never past EXACT_COUNT_CAP: by the log's own indexes where they serve, else by the search table. Searches go over connections of their
 * own: one that takes long must not hold up what is quick.
 */
export async function findMessages(
  { sql, readsSql }: { readonly sql: Sql; readonly readsSql: Sql },
  filters: MessageFilters,
  position: SearchPosition,
): Promise<readonly [rows: readonly MessageRow[], count: number]> {
  if (!needsSearch(filters)) {
    return await Promise.all([listMessages(sql, filters, position), countMessages(sql, filters, EXACT_COUNT_CAP)]);
  }
  const page = searchMessages(readsSql, filters, position).then(async (ids) => ({
    // A first page that is not full has them all.
    isWhole: position.before === null && ids.length < position.limit,
    rows: await readMessages(readsSql, filters.accountId, ids),
  }));
  // What is rare costs as much to count as to find where it is a text, and next to nothing otherwise.
  const counting = filters.text === null ? countMatches(readsSql, filters, EXACT_COUNT_CAP) : null;
  const [{ rows, isWhole }, counted] = await Promise.all([page, counting]);
  if (counted !== null) return [rows, counted];
  return [rows, isWhole ? rows.length : await countMatches(readsSql, filters, EXACT_COUNT_CAP)];
}
