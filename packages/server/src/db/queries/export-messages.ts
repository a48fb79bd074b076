import type { ExportFormat } from '@postrider/core';
import type { Query } from '../client.ts';
import { type MessageFilters, onMessages } from './message-filters.ts';

/** A part of the log: ids from `last` up to, but not including, `before`; null where it is open to that side. */
export interface LogRange {
  readonly before: string | null;
  readonly last: string | null;
}

/** The id of the `rows`-th match below an id, which a part of so many rows ends with; null where there are fewer. */
export async function findPartEnd(
  query: Query,
  filters: MessageFilters,
  { before, rows }: { readonly before: string | null; readonly rows: number },
): Promise<string | null> {
  const [row] = await query<{ id: string }[]>`
    SELECT m.id FROM messages m WHERE ${onMessages(query, filters)} ${before === null ? query`` : query`AND m.id < ${before}`}
    ORDER BY m.id DESC OFFSET ${rows - 1} LIMIT 1`;
  return row?.id ?? null;
}

/** Records as one text, since taking rows apart one by one costs more than making them. */
export interface ExportPiece {
  readonly rows: number;
  /** With SEPARATORS[format] between the records. */
  readonly text: string;
}

/** All matches of a part of the log, newest first, as `lineOf` writes them. */
export async function readExportPart(
  query: Query,
  filters: MessageFilters,
  { before, last, format }: LogRange & { readonly format: ExportFormat },
): Promise<readonly ExportPiece[]> {
  return await joined(
    query,
    format,
    query`SELECT ${lineOf(query, format)} AS line FROM messages m
      WHERE ${onMessages(query, filters)} ${before === null ? query`` : query`AND m.id < ${before}`}
        ${last === null ? query`` : query`AND m.id >= ${last}`}
      ORDER BY m.id DESC`,
  );
}

/** The same for these messages. */
export async function readExportLines(
  query: Query,
  {
    accountId,
    ids,
    format,
  }: { readonly accountId: string; readonly ids: readonly string[]; readonly format: ExportFormat },
): Promise<readonly ExportPiece[]> {
  return await joined(
    query,
    format,
    query`SELECT ${lineOf(query, format)} AS line FROM messages m
      WHERE m.account_id = ${accountId} AND m.id = ANY (${[...ids]}::uuid[]) ORDER BY m.id DESC`,
  );
}

/** Rows that travel as one text: pieces of some 50 KB, which are gone as quickly as they came. */
const PIECE_ROWS = 250;

async function joined(
  query: Query,
  format: ExportFormat,
  lines: ReturnType<typeof lineOf>,
): Promise<readonly ExportPiece[]> {
  return await query<ExportPiece[]>`
    SELECT count(*)::int AS rows, string_agg(line, ${SEPARATORS[format]}) AS text
    FROM (SELECT line, (row_number() OVER () - 1) / ${PIECE_ROWS} AS piece FROM (${lines}) AS l) AS placed
    GROUP BY piece ORDER BY piece`;
}

/** What parts the cells of a record before it is CSV: a character that no text of a message can hold. */
export const CELL_SEPARATOR = '\u001f';

/** What stands between two records; those that become CSV are taken apart once more, and no text of a message holds this character either. */
export const SEPARATORS: Readonly<Record<ExportFormat, string>> = { csv: '\u001e', json: ',\n', jsonl: '\n' };

/**
 * Rows are written out by the database, which is cheaper than sending them as columns: for CSV as cells with a separator between them, since
 * looking at each cell would cost it as much as all the rest; else as JSON.
 */
function lineOf(query: Query, format: ExportFormat) {
  const createdAt = query`to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  if (format === 'csv') {
    return query`concat_ws(${CELL_SEPARATOR}, m.id, ${createdAt}, m.from_given, m.to_line, m.subject, m.status, m.channel, m.source,
      coalesce(m.agent_name, ''), array_to_string(m.tags, ';'))`;
  }
  return query`(SELECT row_to_json(r)::text FROM (SELECT m.id, ${createdAt} AS created_at, m.from_given AS "from", m.to_line AS "to",
    m.subject, m.status, m.channel, m.source, m.agent_name, m.tags) AS r)`;
}
