import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { nullable, pg, returning } from '../result.ts';
import { messages } from '../schema/messages.ts';
import { messageSearch } from '../schema/search.ts';
import { defineStatement, optional, type RowOf, value } from '../statement.ts';
import {
  FILTERS,
  idFloor,
  joinLog,
  type MessageFilters,
  onSearch,
  spanFloors,
  toFilterValues,
} from './message-filters.ts';
import { FOUND, facetsOnce, matchesWaiting, searched } from './search-matches.ts';
import { countByPairs, findByPairs, needsPairs } from './search-pairs.ts';
import { countInSpans, findInSpans } from './search-spans.ts';

export interface SearchPosition {
  /** Only ids below this one; null for the first page. */
  readonly before: string | null;
  readonly limit: number;
}

/** The number of newest rows that are scanned before the indexes are used: it takes a millisecond and finds whatever is frequent. */
const WALK_ROWS = 1_500;

/**
 * The ids of one page of matches, newest first. The views `own_…` are read, because no index serves a search under row-level security policies
 * (migration 0030). The newest rows are scanned in order first, which finds frequent matches. For the rest, the index of the filters is
 * read span by span, and the index of the texts all at once if there are few matches, or else one month at a time. Messages not indexed yet
 * are read from the log first, in the same snapshot, so none is missed.
 */
export async function searchMessages(
  query: Query,
  filters: MessageFilters,
  { before, limit }: SearchPosition,
): Promise<readonly string[]> {
  const walked = await walkNewest(query, filters, { before, limit });
  const found = new Set(walked.ids);
  const page = () => [...found].sort(descending).slice(0, limit);
  // Messages that are not indexed yet can be older than rows still to be searched; they must not fill the page before those rows.
  const isFullDownTo = (floor: string) => countFrom(found, floor) >= limit;
  const { last, oldest } = walked;
  if (last === null || oldest === null || isFullDownTo(last)) return page();
  const { text } = filters;
  if (text === null || needsPairs(text)) {
    const range = { below: last, oldest: oldestOf(oldest, filters.from), limit };
    const older =
      text === null ? await findInSpans(query, filters, range) : await findByPairs(query, { ...filters, text }, range);
    for (const id of older) found.add(id);
    return page();
  }
  const few = await collectFew(query, filters, last);
  for (const id of few ?? []) found.add(id);
  if (few !== null) return page();
  let below = last;
  for (const floor of monthFloors(last, oldestOf(oldest, filters.from))) {
    for (const id of await readMonth(query, filters, { floor, below, limit })) found.add(id);
    if (isFullDownTo(floor)) break;
    below = floor;
  }
  return page();
}

const walk = defineStatement(
  { ...FILTERS, before: optional(messages.id), limit: value<number>() },
  ({ before, limit, ...given }) =>
    returning(
      {
        /** Matches among the newest rows and among those not indexed yet, newest first. */
        ids: pg.uuidArray,
        /** Where the scan ended: older rows have not been scanned; null if there are none. */
        last: nullable(messageSearch.messageId),
        /** The account's oldest row. */
        oldest: nullable(messageSearch.messageId),
      },
      sql`
    WITH waiting AS (
      ${matchesWaiting(given)} ${before && sql`AND m.id < ${before}`} ORDER BY m.id DESC LIMIT ${limit}
    ),
    walked AS MATERIALIZED (
      SELECT s.message_id, (${onSearch(given, facetsOnce(given))}) AS hit FROM own_message_search s WHERE s.account_id = ${given.accountId}
        ${before && sql`AND s.message_id < ${before}`}
        ${given.toId && sql`AND s.message_id < ${given.toId}`}
      ORDER BY s.message_id DESC LIMIT ${WALK_ROWS}
    ),
    matching AS (
      SELECT s.message_id AS id FROM walked s ${joinLog(given)} WHERE hit ORDER BY s.message_id DESC LIMIT ${limit}
    )
    SELECT ARRAY(SELECT id FROM (SELECT id FROM waiting UNION SELECT id FROM matching) AS found ORDER BY id DESC) AS ids,
      (SELECT message_id FROM walked ORDER BY message_id DESC OFFSET ${WALK_ROWS - 1} LIMIT 1) AS last,
      (SELECT message_id FROM own_message_search WHERE account_id = ${given.accountId} ORDER BY message_id LIMIT 1) AS oldest`,
    ),
  { keepsPlan: true },
);

async function walkNewest(
  query: Query,
  filters: MessageFilters,
  { before, limit }: SearchPosition,
): Promise<RowOf<typeof walk>> {
  const [row] = await walk(query, { ...toFilterValues(filters), before, limit });
  return row ?? { ids: [], last: null, oldest: null };
}

/** The number of matches that are few enough to be fetched at once. */
const FEW = 200;

const readOlder = defineStatement({ ...FILTERS, below: messageSearch.messageId }, ({ below, ...given }) =>
  returning(
    FOUND,
    sql`
      SELECT s.message_id AS id FROM ${searched(given, sql`AND s.message_id < ${below}`)} LIMIT ${FEW + 1}`,
  ),
);

/** All older matches, unordered, if they are few; null if there are more. */
async function collectFew(query: Query, filters: MessageFilters, below: string): Promise<readonly string[] | null> {
  const rows = await readOlder(query, { ...toFilterValues(filters), below });
  return rows.length > FEW ? null : rows.map(({ id }) => id);
}

/** Finds all matches of a month before ordering them (OFFSET 0): the scan has already searched in order and found too few. */
const readBetween = defineStatement(
  { ...FILTERS, floor: messageSearch.messageId, below: messageSearch.messageId, limit: value<number>() },
  ({ floor, below, limit, ...given }) =>
    returning(
      FOUND,
      sql`
        SELECT id FROM (
          SELECT s.message_id AS id
          FROM ${searched(given, sql`AND s.message_id >= ${floor} AND s.message_id < ${below}`)}
          OFFSET 0) AS matches
        ORDER BY id DESC LIMIT ${limit}`,
    ),
);

async function readMonth(
  query: Query,
  filters: MessageFilters,
  part: { readonly floor: string; readonly below: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await readBetween(query, { ...toFilterValues(filters), ...part });
  return rows.map(({ id }) => id);
}

const count = asCount(
  defineStatement({ ...FILTERS, cap: value<number>() }, ({ cap, ...given }) =>
    countUpTo(
      cap,
      sql`
        SELECT FROM (
          (${matchesWaiting(given)})
          UNION ALL
          (SELECT s.message_id FROM ${searched(given)})) AS found`,
    ),
  ),
);

/** Counts matches up to `cap`, including those not indexed yet. */
export async function countMatches(query: Query, filters: MessageFilters, cap: number): Promise<number> {
  const { text } = filters;
  if (text === null) return await countInSpans(query, filters, cap);
  if (needsPairs(text)) return await countByPairs(query, { ...filters, text }, cap);
  return await count(query, { ...toFilterValues(filters), cap });
}

const collect = defineStatement({ ...FILTERS, cap: value<number>() }, ({ cap, ...given }) =>
  returning(
    { ids: nullable(pg.bytea) },
    sql`
      SELECT string_agg(uuid_send(id), '') AS ids FROM (
        SELECT id FROM (
          (${matchesWaiting(given)})
          UNION
          (SELECT s.message_id FROM ${searched(given)})) AS found
        ORDER BY id DESC LIMIT ${cap}) AS newest`,
  ),
);

/** The ids of all matches up to `cap`, newest first. With 16 bytes each, a hundred thousand of them stay small. */
export async function collectMatches(query: Query, filters: MessageFilters, cap: number): Promise<Uint8Array> {
  const [row] = await collect(query, { ...toFilterValues(filters), cap });
  return row?.ids ?? new Uint8Array();
}

function oldestOf(oldest: string, from: Date | null): string {
  const floor = from === null ? oldest : spanFloors({ from, to: null }).from;
  return floor !== null && floor > oldest ? floor : oldest;
}

/** The smallest ids of the months from that of `newest` down to that of `oldest`. These are the partitions' bounds. */
function monthFloors(newest: string, oldest: string): readonly string[] {
  const last = timeOf(oldest);
  const at = new Date(timeOf(newest));
  const floors: string[] = [];
  for (let month = at.getUTCMonth(); ; month -= 1) {
    const floorMs = Date.UTC(at.getUTCFullYear(), month);
    floors.push(idFloor(floorMs));
    if (floorMs <= last) return floors;
  }
}

function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function countFrom(ids: Iterable<string>, floor: string): number {
  let count = 0;
  for (const id of ids) if (id >= floor) count += 1;
  return count;
}

function descending(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? 1 : -1;
}
