import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { defineStatement } from '../statement.ts';
import { SEARCH_RECIPIENTS, SEARCH_ROW } from './message-filters.ts';

/** Backlog rows per statement. Each has the messages of one batch of the accept queue, at most 100. */
const BACKLOG_ROWS = 32;

const fill = defineStatement({}, () =>
  returning(
    { taken: pg.int4 },
    sql`
  WITH taken AS MATERIALIZED (
    DELETE FROM search_backlog WHERE ctid = ANY (ARRAY(SELECT ctid FROM search_backlog LIMIT ${BACKLOG_ROWS}::int FOR UPDATE SKIP LOCKED))
    RETURNING account_id, message_ids
  ),
  noted AS MATERIALIZED (
    SELECT DISTINCT account_id, message_id FROM taken, unnest(message_ids) AS message_id
  ),
  written AS (
    INSERT INTO message_search AS s (account_id, message_id, created_at, facets, search)
    SELECT m.account_id, m.id, m.created_at, ${SEARCH_ROW.facets}, ${SEARCH_ROW.text}
    FROM noted n JOIN messages m ON m.account_id = n.account_id AND m.id = n.message_id
    CROSS JOIN LATERAL (${SEARCH_RECIPIENTS}) AS r
    ORDER BY m.id
    ON CONFLICT (account_id, message_id) DO UPDATE
      SET created_at = excluded.created_at, facets = excluded.facets, search = excluded.search
  )
  SELECT count(*)::int AS taken FROM taken`,
  ),
);

/**
 * Moves messages from the backlog to the search table and returns how many backlog rows it took; 0 if none are left or other processes have
 * them locked. A changed message is added to the backlog again and its search row is rewritten.
 */
export async function fillSearch(query: Query): Promise<number> {
  const [row] = await fill(query, {});
  return row?.taken ?? 0;
}
