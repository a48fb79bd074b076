import type { ExportFormat } from '@postrider/core';
import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { messages } from '../schema/messages.ts';
import { defineRawStatement, defineStatement, type GivenOf, optional, type RowOf, value } from '../statement.ts';
import { FILTERS, fromLog, type MessageFilters, toFilterValues } from './message-filters.ts';

/** Separates the cells of a column before they become CSV. No text of a message can contain this character. */
export const CELL_SEPARATOR = '\u001f';

/** Separates records of JSON. */
export const SEPARATORS = { json: ',\n', jsonl: '\n' } as const;

type JsonFormat = keyof typeof SEPARATORS;

/**
 * A part of the log by columns: PostgreSQL joins the values of a column in a third of the time that joining the cells of each record takes.
 * Ids and times are one hexadecimal text without separators, of 32 and 16 digits each, because only their binary forms are cheap.
 * The texts are read as bytes.
 */
const COLUMNS = {
  rows: pg.int4,
  last: pg.uuid,
  ids: pg.bytea,
  /** Microseconds since 2000. */
  times: pg.bytea,
  senders: pg.text,
  recipients: pg.text,
  subjects: pg.text,
  statuses: pg.text,
  channels: pg.text,
  sources: pg.text,
  agents: pg.text,
  tags: pg.text,
};

const LAST = sql`encode(substr(string_agg(uuid_send(m.id), ''), count(*)::int * 16 - 15), 'hex')::uuid AS last`;

/** @param selected the FROM clause of rows `m` in order */
function byColumns(selected: SQL) {
  const joined = (cell: SQL) => sql`string_agg(${cell}, ${CELL_SEPARATOR})`;
  return returning(
    COLUMNS,
    sql`
      SELECT count(*)::int AS rows, ${LAST}, string_agg(uuid_send(m.id), '') AS ids, string_agg(timestamptz_send(m.created_at), '') AS times,
        ${joined(sql`m.from_given`)} AS senders, ${joined(sql`m.to_line`)} AS recipients, ${joined(sql`m.subject`)} AS subjects,
        ${joined(sql`m.status`)} AS statuses, ${joined(sql`m.channel`)} AS channels, ${joined(sql`m.source`)} AS sources,
        ${joined(sql`coalesce(m.agent_name, '')`)} AS agents, ${joined(sql`array_to_string(m.tags, ';')`)} AS tags
      FROM (SELECT ${EXPORTED} FROM ${selected}) AS m HAVING count(*) > 0`,
  );
}

const EXPORTED = sql`m.id, m.created_at, m.from_given, m.to_line, m.subject, m.status, m.channel, m.source, m.agent_name, m.tags`;

const JSON_RECORD = sql`(SELECT row_to_json(r)::text FROM (SELECT m.id,
    to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, m.from_given AS "from", m.to_line AS "to",
    m.subject, m.status, m.channel, m.source, m.agent_name, m.tags) AS r)`;

/** Joins JSON records into one text, because parsing rows one by one costs more than creating them. */
function asJson(format: JsonFormat, selected: SQL) {
  return returning(
    { rows: pg.int4, last: pg.uuid, text: pg.text },
    sql`
      SELECT count(*)::int AS rows, ${LAST}, string_agg(m.line, ${SEPARATORS[format]}) AS text
      FROM (SELECT m.id, ${JSON_RECORD} AS line FROM ${selected}) AS m HAVING count(*) > 0`,
  );
}

/** The parameters of a part: the first `rows` matches with an id below `before`. */
const PART = { ...FILTERS, before: optional(messages.id), rows: value<number>() };

function partOf({ before, rows, ...given }: GivenOf<typeof PART>): SQL {
  return sql`${fromLog(given, before && sql`AND m.id < ${before}`, sql`${rows}::int`)} ORDER BY m.id DESC LIMIT ${rows}::int`;
}

const THESE = { accountId: messages.accountId, ids: value<readonly string[]>() };

function theseOf({ accountId, ids }: GivenOf<typeof THESE>): SQL {
  return sql`messages m WHERE m.account_id = ${accountId} AND m.id = ANY (${ids}::uuid[]) ORDER BY m.id DESC`;
}

const KEPT = { keepsPlan: true };
const readPart = {
  csv: defineRawStatement(PART, (given) => byColumns(partOf(given)), KEPT),
  json: defineStatement(PART, (given) => asJson('json', partOf(given)), KEPT),
  jsonl: defineStatement(PART, (given) => asJson('jsonl', partOf(given)), KEPT),
};
const readThese = {
  csv: defineRawStatement(THESE, (given) => byColumns(theseOf(given))),
  json: defineStatement(THESE, (given) => asJson('json', theseOf(given))),
  jsonl: defineStatement(THESE, (given) => asJson('jsonl', theseOf(given))),
};

/** A part as PostgreSQL sends it: joined columns, or joined records. */
export type ExportedColumns = RowOf<typeof readPart.csv>;
type ExportedRecords = RowOf<typeof readPart.json>;

export interface ExportPiece {
  readonly rows: number;
  /** The id of the last message. */
  readonly last: string;
  readonly content: { readonly columns: ExportedColumns } | { readonly text: string };
}

function toPiece(read: ExportedColumns | ExportedRecords | undefined): ExportPiece | null {
  if (read === undefined) return null;
  if ('text' in read) return { rows: read.rows, last: read.last, content: { text: read.text } };
  return { rows: Number(read.rows), last: read.last.toString('latin1'), content: { columns: read } };
}

/** Returns the newest matches below an id, at most `rows`; null if there are none. */
export async function readExportPart(
  query: Query,
  filters: MessageFilters,
  { format, ...part }: { readonly before: string | null; readonly rows: number; readonly format: ExportFormat },
): Promise<ExportPiece | null> {
  const [read] = await readPart[format](query, { ...toFilterValues(filters), ...part });
  return toPiece(read);
}

/** Like `readExportPart`, for the given messages. */
export async function readExportLines(
  query: Query,
  { format, ...which }: { readonly accountId: string; readonly ids: readonly string[]; readonly format: ExportFormat },
): Promise<ExportPiece | null> {
  const [read] = await readThese[format](query, which);
  return toPiece(read);
}
