import { type ExportFormat, LIMITS } from '@postrider/core';
import { runCancelable } from '../../db/cancelable.ts';
import type { Sql } from '../../db/client.ts';
import {
  type ExportPiece,
  findPartEnd,
  type LogRange,
  readExportLines,
  readExportPart,
  SEPARATORS,
} from '../../db/queries/export-messages.ts';
import { type MessageFilters, needsSearch } from '../../db/queries/message-filters.ts';
import { countMessages } from '../../db/queries/read-messages.ts';
import { collectMatches } from '../../db/queries/search-messages.ts';
import { toCsv } from './export-csv.ts';

export interface ExportFile {
  /** Whether more messages match than a file can contain. */
  readonly isTruncated: boolean;
  /** The file in pieces; nothing is read before it is requested. */
  readonly pieces: AsyncIterable<string>;
}

/** Rows per statement: enough to make the fixed cost of a statement negligible, few enough to keep memory use small. */
const PART_ROWS = 2_000;
/** The first part is small, so that the first rows are sent quickly. */
const FIRST_PART_ROWS = 500;
/** The reader waits for one part, which has usually arrived already; the others keep the database busy. */
const PARTS_AT_ONCE = 3;
const ID_BYTES = 16;

const CSV_HEADER = 'id,created_at,from,to,subject,status,channel,source,agent_name,tags\n';
/** The text before, between and after the parts of a file. A file without rows is complete and valid too. */
const FRAMES: Readonly<
  Record<ExportFormat, { readonly head: string; readonly between: string; readonly tail: string }>
> = {
  csv: { head: CSV_HEADER, between: '\n', tail: '\n' },
  json: { head: '[\n', between: SEPARATORS.json, tail: '\n]\n' },
  jsonl: { head: '', between: SEPARATORS.jsonl, tail: '\n' },
};

/**
 * Opens an export. Filters that the log's own indexes serve are read in keyset parts; those that need a search are read by the ids of all
 * matches. No connection or snapshot is kept open between two parts, however slowly they are read.
 * @param signal cancels the initial search at once; reading a part takes only milliseconds
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
    return { isTruncated: ids.length > kept.length, pieces: frame(parts, format) };
  }
  const count = await runCancelable(sql, signal, (query) => countMessages(query, filters, cap));
  return { isTruncated: count === cap, pieces: frame(partsOfLog(sql, filters, format), format) };
}

async function* partsOfLog(
  sql: Sql,
  filters: MessageFilters,
  format: ExportFormat,
): AsyncGenerator<ExportPiece, void, undefined> {
  async function* reads() {
    for await (const range of rangesOf(sql, filters)) yield () => readExportPart(sql, filters, { ...range, format });
  }
  let left: number = LIMITS.exportRows;
  for await (const pieces of inOrder(reads(), PARTS_AT_ONCE)) {
    for (const piece of pieces) {
      // A message that another process accepted late can make a part longer than when its end was determined.
      yield piece.rows > left ? shorten(piece, left, format) : piece;
      left -= Math.min(left, piece.rows);
      if (left === 0) return;
    }
  }
}

function shorten({ text }: ExportPiece, rows: number, format: ExportFormat): ExportPiece {
  const separator = SEPARATORS[format];
  return { rows, text: text.split(separator).slice(0, rows).join(separator) };
}

/** Finds the ranges of the parts one after the other, so that several parts can be read concurrently. */
async function* rangesOf(sql: Sql, filters: MessageFilters): AsyncGenerator<LogRange, void, undefined> {
  let before: string | null = null;
  let rows = FIRST_PART_ROWS;
  for (let left: number = LIMITS.exportRows; left > 0; left -= rows) {
    if (before !== null) rows = Math.min(PART_ROWS, left);
    const last: string | null = await findPartEnd(sql, filters, { before, rows });
    yield { before, last };
    if (last === null) return;
    before = last;
  }
}

async function* partsOfIds(
  sql: Sql,
  accountId: string,
  ids: Uint8Array,
  format: ExportFormat,
): AsyncGenerator<ExportPiece, void, undefined> {
  async function* reads() {
    for (let at = 0; at < ids.length; at += PART_ROWS * ID_BYTES) {
      const part = toUuids(ids.subarray(at, at + PART_ROWS * ID_BYTES));
      yield () => readExportLines(sql, { accountId, ids: part, format });
    }
  }
  for await (const pieces of inOrder(reads(), PARTS_AT_ONCE)) yield* pieces;
}

/** The results of tasks in order, with this many of them running concurrently. */
async function* inOrder<T>(tasks: AsyncIterable<() => Promise<T>>, atOnce: number): AsyncGenerator<T, void, undefined> {
  const running: Promise<T>[] = [];
  for await (const task of tasks) {
    const result = task();
    // It may fail before it is awaited, or after the reader has left.
    result.catch(() => {});
    running.push(result);
    const first = running.length < atOnce ? undefined : running.shift();
    if (first !== undefined) yield await first;
  }
  for (const result of running) yield await result;
}

async function* frame(
  pieces: AsyncIterable<ExportPiece>,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  const { head, between, tail } = FRAMES[format];
  let isEmpty = true;
  for await (const { text } of pieces) {
    yield (isEmpty ? head : between) + (format === 'csv' ? toCsv(text) : text);
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
