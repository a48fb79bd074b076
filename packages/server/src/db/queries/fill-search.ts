import type { Sql } from '../client.ts';
import { sql } from '../drizzle.ts';
import { nullable, pg, returning } from '../result.ts';
import { messageSearch } from '../schema/search.ts';
import { defineStatement } from '../statement.ts';
import { SEARCH_RECIPIENTS, SEARCH_ROW } from './message-filters.ts';
import { addPairs } from './search-pairs.ts';

/** Backlog rows per statement. Each has the messages of one batch of the accept queue, at most 100. */
const BACKLOG_ROWS = 32;

const fill = defineStatement({}, () =>
  returning(
    {
      ...{ accountId: nullable(messageSearch.accountId), span: nullable(pg.int4), texts: nullable(pg.text) },
      /** The same in every row. */
      taken: pg.int4,
    },
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
    RETURNING s.account_id, ('x' || left(s.message_id::text, 5))::bit(20)::int AS span, s.search
  )
  SELECT account_id AS "accountId", span, string_agg(search, E'\\n') AS texts, taken
  FROM (SELECT count(*)::int AS taken FROM taken) AS counted LEFT JOIN written ON true GROUP BY account_id, span, taken`,
  ),
);

/**
 * Moves messages from the backlog to the search table and returns how many backlog rows it took; 0 if none are left or other processes have
 * them locked. A changed message is added to the backlog again and its search row is rewritten.
 */
export async function fillSearch(sql: Pick<Sql, 'begin'>): Promise<number> {
  return await sql.begin(async (transaction) => {
    const rows = await fill(transaction, {});
    const spans = rows.flatMap(({ accountId, span, texts }) =>
      accountId === null || span === null || texts === null ? [] : [{ accountId, span, texts }],
    );
    await addPairs(transaction, spans);
    return rows[0]?.taken ?? 0;
  });
}
