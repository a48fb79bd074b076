import type { ExportFormat } from '@postrider/core';
import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { messages } from '../schema/messages.ts';
import { defineStatement, optional, type RowOf, value } from '../statement.ts';
import { FILTERS, fromLog, type MessageFilters, toFilterValues } from './message-filters.ts';

/** A range of the log: ids from `last` up to but excluding `before`. Null leaves that end open. */
export interface LogRange {
  readonly before: string | null;
  readonly last: string | null;
}

const findEnd = defineStatement(
  { ...FILTERS, before: optional(messages.id), skipped: value<number>() },
  ({ before, skipped, ...given }) =>
    returning(
      { id: messages.id },
      sql`
        SELECT m.id FROM ${fromLog(given, before && sql`AND m.id < ${before}`, sql`${skipped}::int + 1`)}
        ORDER BY m.id DESC OFFSET ${skipped} LIMIT 1`,
    ),
  { keepsPlan: true },
);

/** Finds where a part of `rows` matches ends: the id of the `rows`-th match below an id; null if fewer match. */
export async function findPartEnd(
  query: Query,
  filters: MessageFilters,
  { before, rows }: { readonly before: string | null; readonly rows: number },
): Promise<string | null> {
  const [row] = await findEnd(query, { ...toFilterValues(filters), before, skipped: rows - 1 });
  return row?.id ?? null;
}

/** Separates the cells of a record before it becomes CSV. No text of a message can contain this character. */
export const CELL_SEPARATOR = '\u001f';

/** Separates records. CSV records are split again later, so their separator is also a character that no text of a message can contain. */
export const SEPARATORS: Readonly<Record<ExportFormat, string>> = { csv: '\u001e', json: ',\n', jsonl: '\n' };

/**
 * The database formats the rows, which is cheaper than transferring columns. CSV rows are cells joined by a separator, because checking
 * each cell for quoting in the database would double the cost; the other formats are JSON.
 */
const CREATED_AT = sql`to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const CELLS = sql`concat_ws(${CELL_SEPARATOR}, m.id, ${CREATED_AT}, m.from_given, m.to_line, m.subject, m.status, m.channel, m.source,
      coalesce(m.agent_name, ''), array_to_string(m.tags, ';'))`;
const JSON_RECORD = sql`(SELECT row_to_json(r)::text FROM (SELECT m.id, ${CREATED_AT} AS created_at, m.from_given AS "from", m.to_line AS "to",
    m.subject, m.status, m.channel, m.source, m.agent_name, m.tags) AS r)`;

/**
 * Joins records into one text, because parsing rows one by one costs more than creating them. `text` has SEPARATORS[format] between
 * records.
 */
function joined(format: ExportFormat, selected: SQL) {
  const line = format === 'csv' ? CELLS : JSON_RECORD;
  return returning(
    { rows: pg.int4, text: pg.text },
    sql`
      SELECT count(*)::int AS rows, string_agg(line, ${SEPARATORS[format]}) AS text
      FROM (SELECT ${line} AS line FROM ${selected} ORDER BY m.id DESC) AS lines HAVING count(*) > 0`,
  );
}

const readPartAs = (format: ExportFormat) =>
  defineStatement(
    { ...FILTERS, before: optional(messages.id), last: optional(messages.id) },
    ({ before, last, ...given }) =>
      joined(format, fromLog(given, sql`${before && sql`AND m.id < ${before}`} ${last && sql`AND m.id >= ${last}`}`)),
    { keepsPlan: true },
  );

const readPart = { csv: readPartAs('csv'), json: readPartAs('json'), jsonl: readPartAs('jsonl') };

export type ExportPiece = RowOf<typeof readPart.csv>;

/** Returns all matches in a range of the log, newest first. */
export async function readExportPart(
  query: Query,
  filters: MessageFilters,
  { before, last, format }: LogRange & { readonly format: ExportFormat },
): Promise<readonly ExportPiece[]> {
  return await readPart[format](query, { ...toFilterValues(filters), before, last });
}

const readLinesAs = (format: ExportFormat) =>
  defineStatement({ accountId: messages.accountId, ids: value<readonly string[]>() }, ({ accountId, ids }) =>
    joined(format, sql`messages m WHERE m.account_id = ${accountId} AND m.id = ANY (${ids}::uuid[])`),
  );

const readLines = { csv: readLinesAs('csv'), json: readLinesAs('json'), jsonl: readLinesAs('jsonl') };

/** Like `readExportPart`, for the given messages. */
export async function readExportLines(
  query: Query,
  { format, ...which }: { readonly accountId: string; readonly ids: readonly string[]; readonly format: ExportFormat },
): Promise<readonly ExportPiece[]> {
  return await readLines[format](query, which);
}
