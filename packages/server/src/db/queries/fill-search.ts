import type { Query, Sql } from '../client.ts';
import { sql } from '../drizzle.ts';
import { nullable, pg, returning } from '../result.ts';
import { messageSearch } from '../schema/search.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { SEARCH_RECIPIENTS, SEARCH_ROW } from './message-filters.ts';
import { ASKED_OF_TAKEN, rowsOfLists } from './rows-of-lists.ts';
import { addPairs, type SpanTexts } from './search-pairs.ts';

/** Backlog rows per statement. Each has the messages of one batch of the accept queue, at most 100. */
const BACKLOG_ROWS = 32;

/** Texts are read in parts that the event loop can process in about a millisecond: this many bytes and one message. */
const PART_BYTES = 65_536;
/** The statement returns the texts of the first parts. Usually these are all; the texts of all others are read part by part. */
const PARTS_AT_ONCE = 32;

const fill = defineStatement({}, () =>
  returning(
    {
      ...{ accountId: nullable(messageSearch.accountId), span: nullable(pg.int4) },
      /** The texts of a part, or the ids of its messages. */
      ...{ texts: nullable(pg.text), ids: nullable(pg.uuidArray) },
      /** The same in every row. */
      taken: pg.int4,
    },
    sql`
  WITH taken AS MATERIALIZED (
    DELETE FROM search_backlog WHERE ctid = ANY (ARRAY(SELECT ctid FROM search_backlog LIMIT ${BACKLOG_ROWS}::int FOR UPDATE SKIP LOCKED))
    RETURNING account_id, message_ids
  ),
  asked AS MATERIALIZED (${ASKED_OF_TAKEN}),
  addressed AS MATERIALIZED (
    SELECT r.account_id, r.message_id, ${SEARCH_RECIPIENTS} FROM ${sql.raw(rowsOfLists('message_recipients', 'message_id', 'r'))}
    GROUP BY r.account_id, r.message_id
  ),
  written AS (
    INSERT INTO message_search AS s (account_id, message_id, created_at, facets, search)
    SELECT m.account_id, m.id, m.created_at, ${SEARCH_ROW.facets}, ${SEARCH_ROW.text}
    FROM ${sql.raw(rowsOfLists('messages', 'id', 'm'))} LEFT JOIN addressed r ON r.account_id = m.account_id AND r.message_id = m.id
    ORDER BY m.id
    ON CONFLICT (account_id, message_id) DO UPDATE
      SET created_at = excluded.created_at, facets = excluded.facets, search = excluded.search
    RETURNING s.account_id, s.message_id, ('x' || left(s.message_id::text, 5))::bit(20)::int AS span, s.search
  ),
  parted AS (
    SELECT *, sum(octet_length(search)) OVER (ORDER BY account_id, message_id ROWS UNBOUNDED PRECEDING) / ${PART_BYTES}::int AS part FROM written
  )
  SELECT account_id AS "accountId", span, taken,
    CASE WHEN part < ${PARTS_AT_ONCE}::int THEN string_agg(search, E'\\n') END AS texts,
    CASE WHEN part >= ${PARTS_AT_ONCE}::int THEN array_agg(message_id) END AS ids
  FROM (SELECT count(*)::int AS taken FROM taken) AS counted LEFT JOIN parted ON true
  GROUP BY account_id, span, part, taken ORDER BY account_id, span, part`,
  ),
);

const readTexts = defineStatement(
  { accountId: messageSearch.accountId, ids: value<readonly string[]>() },
  ({ accountId, ids }) =>
    returning(
      { texts: nullable(pg.text) },
      sql`SELECT string_agg(search, E'\\n') AS texts FROM message_search WHERE account_id = ${accountId} AND message_id = ANY (${ids}::uuid[])`,
    ),
);

/**
 * Moves messages from the backlog to the search table and returns how many backlog rows it took; 0 if none are left or other processes have
 * them locked. A changed message is added to the backlog again and its search row is rewritten.
 * @param pause awaited before each part of the texts is processed
 */
export async function fillSearch(sql: Pick<Sql, 'begin'>, pause = async (): Promise<void> => {}): Promise<number> {
  return await sql.begin(async (transaction) => {
    const rows = await fill(transaction, {});
    await addPairs(
      transaction,
      rows.flatMap((row) => partOf(transaction, row)),
      pause,
    );
    return rows[0]?.taken ?? 0;
  });
}

function partOf(query: Query, { accountId, span, texts, ids }: RowOf<typeof fill>): readonly SpanTexts[] {
  if (accountId === null || span === null) return [];
  const read = async () => texts ?? (await readTexts(query, { accountId, ids: ids ?? [] }))[0]?.texts ?? '';
  return [{ accountId, span, read }];
}
