import { type ExportFormat, LIMITS } from '@postrider/core';
import { runCancelable } from '../../db/cancelable.ts';
import type { Sql } from '../../db/client.ts';
import { readExportLines, readExportPart } from '../../db/queries/export-messages.ts';
import { type MessageFilters, needsSearch } from '../../db/queries/message-filters.ts';
import { countMessages } from '../../db/queries/read-messages.ts';
import { collectMatches } from '../../db/queries/search-messages.ts';

export interface ExportFile {
  /** Whether more messages match than a file holds. */
  readonly isTruncated: boolean;
  /** The file, piece by piece; nothing is read before it is asked for. */
  readonly lines: AsyncIterable<string>;
}

/** Rows a statement reads: enough that the statement itself costs little beside them, few enough that memory stays small. */
const PART_ROWS = 4_000;
/** The first part is small, so that the file begins to come at once. */
const FIRST_PART_ROWS = 500;
const ID_BYTES = 16;

const CSV_HEADER = 'id,created_at,from,to,subject,status,channel,source,agent_name,tags\n';
/** What stands before, between and behind the parts of a file. A file without rows ends as a whole one does. */
const FRAMES: Readonly<
  Record<ExportFormat, { readonly head: string; readonly between: string; readonly tail: string }>
> = {
  csv: { head: CSV_HEADER, between: '\n', tail: '\n' },
  json: { head: '[\n', between: ',\n', tail: '\n]\n' },
  jsonl: { head: '', between: '\n', tail: '\n' },
};

/**
 * Opens an export: what the log's own indexes select is read in keyset parts, what needs a search by the ids of all that match. No
 * connection and no snapshot is held between two parts, however slowly they are taken.
 * @param signal ends the search for what belongs to it at once; the parts are over in milliseconds
 */
export async function openExport(
  sql: Sql,
  filters: MessageFilters,
  format: ExportFormat,
  signal: AbortSignal,
): Promise<ExportFile> {
  const cap = LIMITS.exportRows + 1;
  if (needsSearch(filters)) {
    const ids = await runCancelable(sql, signal, (query) => collectMatches(query, filters, cap));
    const kept = ids.subarray(0, LIMITS.exportRows * ID_BYTES);
    const parts = partsOfIds(sql, filters.accountId, kept, format);
    return { isTruncated: ids.length > kept.length, lines: frame(parts, format) };
  }
  const count = await runCancelable(sql, signal, (query) => countMessages(query, filters, cap));
  return { isTruncated: count === cap, lines: frame(partsOfLog(sql, filters, format), format) };
}

async function* partsOfLog(
  query: Sql,
  filters: MessageFilters,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  let left: number = LIMITS.exportRows;
  const read = (before: string | null, limit: number) => readExportPart(query, filters, { before, limit, format });
  let limit = FIRST_PART_ROWS;
  let part = await read(null, limit);
  while (part !== null) {
    left -= part.rows;
    const isLast = part.rows < limit || left === 0;
    limit = Math.min(PART_ROWS, left);
    // The next part is read while this one is written.
    const next = isLast ? null : read(part.last, limit);
    next?.catch(() => {});
    yield part.lines;
    part = await next;
  }
}

async function* partsOfIds(
  query: Sql,
  accountId: string,
  ids: Uint8Array,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  const size = PART_ROWS * ID_BYTES;
  const read = (at: number) => {
    const part = readExportLines(query, { accountId, ids: toUuids(ids.subarray(at, at + size)), format });
    part.catch(() => {});
    return part;
  };
  let next = ids.length === 0 ? null : read(0);
  for (let at = size; next !== null; at += size) {
    const lines: string | null = await next;
    next = at < ids.length ? read(at) : null;
    if (lines !== null) yield lines;
  }
}

async function* frame(parts: AsyncIterable<string>, format: ExportFormat): AsyncGenerator<string, void, undefined> {
  const { head, between, tail } = FRAMES[format];
  let isEmpty = true;
  for await (const lines of parts) {
    yield isEmpty ? head + lines : between + lines;
    isEmpty = false;
  }
  if (!isEmpty) yield tail;
  else if (format === 'json') yield '[]\n';
  else if (head !== '') yield head;
}

function toUuids(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return Array.from({ length: hex.length / 32 }, (_, index) => hex.slice(index * 32, index * 32 + 32));
}
