import { setImmediate } from 'node:timers/promises';
import { type ExportFormat, LIMITS } from '@postrider/core';
import { runCancelable } from '../../db/cancelable.ts';
import type { Sql } from '../../db/client.ts';
import { type ExportPiece, readExportLines, readExportPart, SEPARATORS } from '../../db/queries/export-messages.ts';
import { type MessageFilters, needsSearch } from '../../db/queries/message-filters.ts';
import { countMessages } from '../../db/queries/read-messages.ts';
import { collectMatches } from '../../db/queries/search-messages.ts';
import { createCsvWriter } from './export-csv.ts';

export interface ExportFile {
  /** Whether more messages match than a file can contain. */
  readonly isTruncated: boolean;
  /** The file in pieces. Only the first is read before it is requested. */
  readonly pieces: AsyncIterable<string | Uint8Array>;
}

/** Rows per statement: enough to make the fixed cost of a statement negligible, few enough to keep memory use small. */
const PART_ROWS = 2_000;
/** The first part is small, so that the first rows are sent quickly. */
const FIRST_PART_ROWS = 500;
/** The reader waits for one part, which has usually arrived already; the others keep the database busy. */
const PARTS_AT_ONCE = 3;
const ID_BYTES = 16;

/** The text before, between and after the parts of a file. A file without rows is complete and valid too. */
const FRAMES: Readonly<
  Record<ExportFormat, { readonly head: string; readonly between: string; readonly tail: string }>
> = {
  csv: { head: 'id,created_at,from,to,subject,status,channel,source,agent_name,tags\n', between: '', tail: '' },
  json: { head: '[\n', between: SEPARATORS.json, tail: '\n]\n' },
  jsonl: { head: '', between: SEPARATORS.jsonl, tail: '\n' },
};

/**
 * Opens an export. Filters that the log's own indexes serve are read in keyset parts; those that need a search are read by the ids of all
 * matches. No connection or snapshot is kept open between two parts, however slowly they are read.
 * @param signal cancels the initial search or count at once; reading a part takes only milliseconds
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
  // The first part is read while the matches are counted.
  const first = readExportPart(sql, filters, { before: null, rows: FIRST_PART_ROWS, format });
  first.catch(noop);
  const count = await runCancelable(sql, signal, (query) => countMessages(query, filters, cap));
  return { isTruncated: count === cap, pieces: frame(partsOfLog(sql, filters, first, format), format) };
}

/** The next part is read while the caller sends the last one. */
async function* partsOfLog(
  sql: Sql,
  filters: MessageFilters,
  first: Promise<ExportPiece | null>,
  format: ExportFormat,
): AsyncGenerator<ExportPiece, void, undefined> {
  let left: number = LIMITS.exportRows;
  let rows = FIRST_PART_ROWS;
  let next: Promise<ExportPiece | null> | null = first;
  while (next !== null) {
    const piece: ExportPiece | null = await next;
    if (piece === null) return;
    left -= piece.rows;
    const isLast: boolean = piece.rows < rows || left === 0;
    rows = Math.min(PART_ROWS, left);
    next = isLast ? null : readExportPart(sql, filters, { before: piece.last, rows, format });
    // It may fail before it is awaited, or after the reader has left.
    next?.catch(noop);
    // The driver sends a statement in the next round of the event loop, and the caller converts the piece without a pause.
    for (let round = 0; round < 2; round += 1) await setImmediate();
    yield piece;
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
  for await (const piece of inOrder(reads(), PARTS_AT_ONCE)) if (piece !== null) yield piece;
}

/** The results of tasks in order, with this many of them running concurrently. */
async function* inOrder<T>(tasks: AsyncIterable<() => Promise<T>>, atOnce: number): AsyncGenerator<T, void, undefined> {
  const running: Promise<T>[] = [];
  for await (const task of tasks) {
    const result = task();
    // It may fail before it is awaited, or after the reader has left.
    result.catch(noop);
    running.push(result);
    const first = running.length < atOnce ? undefined : running.shift();
    if (first !== undefined) yield await first;
  }
  for (const result of running) yield await result;
}

async function* frame(
  pieces: AsyncIterable<ExportPiece>,
  format: ExportFormat,
): AsyncGenerator<string | Uint8Array, void, undefined> {
  const { head, between, tail } = FRAMES[format];
  const toCsv = createCsvWriter();
  let isEmpty = true;
  for await (const { rows, content } of pieces) {
    const before = isEmpty ? head : between;
    isEmpty = false;
    if ('text' in content) yield before + content.text;
    else yield* [...(before === '' ? [] : [before]), toCsv(rows, content.columns)];
  }
  if (!isEmpty) yield* tail === '' ? [] : [tail];
  else if (format === 'json') yield '[]\n';
  else if (head !== '') yield head;
}

function noop(): void {}

function toUuids(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return Array.from({ length: hex.length / 32 }, (_, index) => hex.slice(index * 32, index * 32 + 32));
}
