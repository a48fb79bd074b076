import type { Sql } from '../../db/client.ts';
import { type MessageFilters, needsSearch } from '../../db/queries/message-filters.ts';
import { countMessages, listMessages, type MessageRow, readMessages } from '../../db/queries/read-messages.ts';
import { countMatches, type SearchPosition, searchMessages } from '../../db/queries/search-messages.ts';
import { EXACT_COUNT_CAP } from '../total.ts';
import type { LargeLogs } from './large-logs.ts';

/**
 * A page of matching messages, newest first, and their count up to EXACT_COUNT_CAP. Uses the log's own indexes if they serve, otherwise the
 * search table. Searches use separate connections, so that a slow search does not delay quick reads.
 */
export async function findMessages(
  { sql, readsSql, largeLogs }: { readonly sql: Sql; readonly readsSql: Sql; readonly largeLogs: LargeLogs },
  filters: MessageFilters,
  position: SearchPosition,
): Promise<readonly [rows: readonly MessageRow[], count: number]> {
  if (!needsSearch(filters)) {
    return await Promise.all([listMessages(sql, filters, position), countLog(sql, filters, largeLogs)]);
  }
  const page = searchMessages(readsSql, filters, position).then(async (ids) => ({
    // A first page that is not full contains all matches.
    isWhole: position.before === null && ids.length < position.limit,
    rows: await readMessages(readsSql, filters.accountId, ids),
  }));
  // Counting rare text costs as much as finding it, so it waits for the page. Other counts cost next to nothing and run in parallel.
  const counting = filters.text === null ? countMatches(readsSql, filters, EXACT_COUNT_CAP) : null;
  const [{ rows, isWhole }, counted] = await Promise.all([page, counting]);
  if (counted !== null) return [rows, counted];
  return [rows, isWhole ? rows.length : await countMatches(readsSql, filters, EXACT_COUNT_CAP)];
}

/** Counts with the indexes of the log. If all messages are counted and the log was just found to be large, returns the cap. */
async function countLog(sql: Sql, filters: MessageFilters, largeLogs: LargeLogs): Promise<number> {
  const isWhole = filters.statuses.length === 0 && filters.from === null && filters.to === null;
  if (isWhole && largeLogs.isLarge(filters.accountId)) return EXACT_COUNT_CAP;
  const count = await countMessages(sql, filters, EXACT_COUNT_CAP);
  if (isWhole && count >= EXACT_COUNT_CAP) largeLogs.add(filters.accountId);
  return count;
}
