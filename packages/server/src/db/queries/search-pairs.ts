import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { arraysOf, toArrays, unnested } from '../record-columns.ts';
import { executing, pg, returning } from '../result.ts';
import { messages } from '../schema/messages.ts';
import { messageSearch, searchPairs } from '../schema/search.ts';
import { defineStatement, type GivenOf, optional, value } from '../statement.ts';
import { FILTERS, type MessageFilters, storedTextOf, toFilterValues } from './message-filters.ts';
import { FOUND, idsOf, matchesWaiting, searched, spans } from './search-matches.ts';

/**
 * For each wide span of an account, a bit for each pair of adjacent characters that occurs in its texts. A text without three letters or
 * digits in a row has no trigrams; a search for it scans only the spans that contain all of its pairs.
 */
const BYTES = 65_536 / 8;

/** Each ASCII character has its own number; all others share 128 numbers. `pairOf` does the same in SQL. */
function numberOf(character: number): number {
  return character < 128 ? character : 128 + (character % 128);
}

const pairOf = (text: SQL, at: SQL) => {
  const number = (place: SQL) =>
    sql`(SELECT CASE WHEN c < 128 THEN c ELSE 128 + c % 128 END FROM ascii(substr(${text}, ${place}, 1)) AS c)`;
  return sql`${number(at)} * 256 + ${number(sql`${at} + 1`)}`;
};

function markPairs(bits: Buffer, text: string): void {
  let before = -1;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.codePointAt(at) ?? 0;
    if (character > 0xffff) at += 1;
    const number = numberOf(character);
    if (before >= 0) {
      const pair = before * 256 + number;
      bits[pair >> 3] = (bits[pair >> 3] ?? 0) | (0x80 >> (pair & 7));
    }
    before = number;
  }
}

/** Whether a search for the text needs pairs, because trigrams do not help. */
export function needsPairs(text: string): boolean {
  return !/[\p{L}\p{N}]{3}/u.test(text);
}

const ADDED = { accountId: searchPairs.accountId, span: searchPairs.span, pairs: pg.text };

const add = defineStatement(arraysOf(ADDED), (given) =>
  executing(sql`
    INSERT INTO search_pairs AS p (account_id, span, pairs)
    SELECT account_id, span, ('x' || pairs)::bit(65536) FROM ${unnested(ADDED, given)} AS g (account_id, span, pairs)
    ORDER BY account_id, span
    ON CONFLICT (account_id, span) DO UPDATE SET pairs = p.pairs | excluded.pairs WHERE (p.pairs | excluded.pairs) <> p.pairs`),
);

/** Texts of one span. */
export interface SpanTexts {
  readonly accountId: string;
  readonly span: number;
  readonly read: () => string | Promise<string>;
}

/** Spans per statement; each has 16 KB of hexadecimal digits. */
const SPANS_AT_ONCE = 32;

/**
 * Adds the pairs of texts to their spans; awaits `pause` before each part. The parts must be ordered by account and span, so that concurrent transactions
 * cannot deadlock.
 */
export async function addPairs(query: Query, parts: readonly SpanTexts[], pause: () => Promise<void>): Promise<void> {
  let spans: { readonly accountId: string; readonly span: number; readonly bits: Buffer }[] = [];
  const write = async () => {
    const rows = spans.map(({ bits, ...span }) => ({ ...span, pairs: bits.toString('hex') }));
    spans = [];
    if (rows.length > 0) await add(query, toArrays(ADDED, rows));
  };
  for (const { accountId, span, read } of parts) {
    let last = spans.at(-1);
    if (last?.accountId !== accountId || last.span !== span) {
      if (spans.length === SPANS_AT_ONCE) await write();
      last = { accountId, span, bits: Buffer.alloc(BYTES) };
      spans.push(last);
    }
    const text = await read();
    await pause();
    markPairs(last.bits, text);
  }
  await write();
}

const SEARCH = { ...FILTERS, searchText: messages.subject, storedText: optional(messages.subject) };
type Given = GivenOf<typeof FILTERS>;
type Texts = Pick<GivenOf<typeof SEARCH>, 'searchText' | 'storedText'>;

function toSearchValues(filters: MessageFilters & { readonly text: string }) {
  return { ...toFilterValues(filters), searchText: filters.text, storedText: storedTextOf(filters) };
}

/** More pairs would hardly exclude more spans. */
const MOST_PAIRS = 8;

const pairsOf = (text: SQL) => sql`
  SELECT DISTINCT ${pairOf(sql`lowered`, sql`at`)} AS pair FROM lower(${text}::text) AS lowered, generate_series(1, length(lowered) - 1) AS at
  LIMIT ${sql.raw(String(MOST_PAIRS))}`;

/** The matches in all spans that have the pairs of the text, or of its form in addresses, newest first. */
function inPairedSpans(given: Given, { searchText, storedText }: Texts, between?: SQL): SQL {
  const hasPairs = (wanted: SQL) => sql`NOT EXISTS (SELECT FROM ${wanted} WHERE get_bit(pairs, ${wanted}.pair) = 0)`;
  return sql`
    WITH wanted AS MATERIALIZED (${pairsOf(searchText)})
    ${storedText && sql`, wanted_stored AS MATERIALIZED (${pairsOf(storedText)})`}
    SELECT found.id FROM ${spans(
      given,
      5,
      sql`(SELECT span FROM search_pairs WHERE account_id = ${given.accountId}
        AND (${hasPairs(sql`wanted`)} ${storedText && sql`OR ${hasPairs(sql`wanted_stored`)}`}) ORDER BY span DESC) AS paired`,
    )} AS wide
    CROSS JOIN LATERAL (
      SELECT s.message_id AS id FROM ${searched(given, sql`${idsOf(sql`wide`)} ${between}`)} ORDER BY s.message_id DESC OFFSET 0) AS found`;
}

const find = defineStatement(
  { ...SEARCH, below: messageSearch.messageId, limit: value<number>() },
  ({ below, limit, searchText, storedText, ...given }) =>
    returning(
      FOUND,
      sql`${inPairedSpans(given, { searchText, storedText }, sql`AND s.message_id < ${below}`)} LIMIT ${limit}`,
    ),
);

/** The newest indexed matches of filters with a text for which `needsPairs` is true. */
export async function findByPairs(
  query: Query,
  filters: MessageFilters & { readonly text: string },
  { below, limit }: { readonly below: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await find(query, { ...toSearchValues(filters), below, limit });
  return rows.map(({ id }) => id);
}

const count = asCount(
  defineStatement({ ...SEARCH, cap: value<number>() }, ({ cap, searchText, storedText, ...given }) =>
    countUpTo(
      cap,
      sql`SELECT FROM ((${matchesWaiting(given)}) UNION ALL (${inPairedSpans(given, { searchText, storedText })})) AS matches`,
    ),
  ),
);

/** Counts such matches up to `cap`, including those not indexed yet. */
export async function countByPairs(
  query: Query,
  filters: MessageFilters & { readonly text: string },
  cap: number,
): Promise<number> {
  return await count(query, { ...toSearchValues(filters), cap });
}
