import type { ExportFormat } from '@postrider/core';
import type { Query } from '../client.ts';
import { type MessageFilters, onMessages } from './message-filters.ts';

/** A part of an export: its lines as they stand in the file, without what is between parts. */
export interface ExportPart {
  readonly lines: string;
  readonly rows: number;
  /** The id of its last row. */
  readonly last: string;
}

/** The next part of an export in the order of the log: the newest matches below an id. Null where there are no more. */
export async function readExportPart(
  query: Query,
  filters: MessageFilters,
  { before, limit, format }: { readonly before: string | null; readonly limit: number; readonly format: ExportFormat },
): Promise<ExportPart | null> {
  const [part] = await query<{ lines: string | null; rows: number }[]>`
    SELECT string_agg(line, ${SEPARATORS[format]}) AS lines, count(*)::int AS rows FROM (
      SELECT ${lineOf(query, format)} AS line FROM messages m
      WHERE ${onMessages(query, filters)} ${before === null ? query`` : query`AND m.id < ${before}`}
      ORDER BY m.id DESC LIMIT ${limit}) AS part`;
  if (part === undefined || part.lines === null) return null;
  return { lines: part.lines, rows: part.rows, last: lastIdOf(part.lines, format) };
}

/** The lines of these messages, newest first; null where none of them is there any more. */
export async function readExportLines(
  query: Query,
  {
    accountId,
    ids,
    format,
  }: { readonly accountId: string; readonly ids: readonly string[]; readonly format: ExportFormat },
): Promise<string | null> {
  const [part] = await query<{ lines: string | null }[]>`
    SELECT string_agg(line, ${SEPARATORS[format]}) AS lines FROM (
      SELECT ${lineOf(query, format)} AS line FROM messages m
      WHERE m.account_id = ${accountId} AND m.id = ANY (${[...ids]}::uuid[]) ORDER BY m.id DESC) AS part`;
  return part?.lines ?? null;
}

const SEPARATORS: Readonly<Record<ExportFormat, string>> = { csv: '\n', json: ',\n', jsonl: '\n' };

/**
 * Rows are written out by the database: that takes a third of what it does to send them as columns and to write them here. The cells are
 * looked at in place, and only the few that need it go through a function, whose call costs more than all the rest of the row.
 */
function lineOf(query: Query, format: ExportFormat) {
  const createdAt = query`to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  if (format === 'csv') {
    const cells = [query`m.from_given`, query`m.to_line`, query`m.subject`, query`coalesce(m.agent_name, '')`];
    const [from, to, subject, agentName] = cells.map(
      (value) => query`CASE WHEN ${value} !~ ${UNSAFE_CELL} THEN ${value} ELSE export_cell(${value}) END`,
    );
    const tags = query`array_to_string(m.tags, ';')`;
    return query`concat_ws(',', m.id, ${createdAt}, ${from ?? query``}, ${to ?? query``}, ${subject ?? query``}, m.status, m.channel,
      m.source, ${agentName ?? query``}, CASE WHEN ${tags} !~ ${UNSAFE_TAGS} THEN ${tags} ELSE export_tags(m.tags) END)`;
  }
  return query`(SELECT row_to_json(r)::text FROM (SELECT m.id, ${createdAt} AS created_at, m.from_given AS "from", m.to_line AS "to",
    m.subject, m.status, m.channel, m.source, m.agent_name, m.tags) AS r)`;
}

/** Cells that have to be quoted or made harmless: those that export_cell changes, and some more. */
const UNSAFE_CELL = '^[=+@\\t\\r\\n＝＋－＠-]|[",\\r\\n]';
const UNSAFE_TAGS = '(^|;)[=+@\\t\\r\\n＝＋－＠-]|[",\\r\\n]';

/** The id stands at the beginning of each line, and no line has a line feed in it. */
function lastIdOf(lines: string, format: ExportFormat): string {
  const start = lines.lastIndexOf('\n') + 1 + (format === 'csv' ? 0 : '{"id":"'.length);
  return lines.slice(start, start + UUID_CHARACTERS);
}

const UUID_CHARACTERS = 36;
