import { builder, named } from '../builder.ts';
import { asCount, countUpTo } from '../capped-count.ts';
import type { Pool } from '../client.ts';
import { and, eq, getTableColumns, gte, lt, or, sql } from '../drizzle.ts';
import { requestLog } from '../schema/installation.ts';
import { defineStatement, type GivenOf, optional, type RowOf, value } from '../statement.ts';

export type LoggedRequest = typeof requestLog.$inferSelect;

const COLUMNS = Object.entries(getTableColumns(requestLog));

const COPY = `COPY request_log (${COLUMNS.map(([, { name }]) => name).join(', ')}) FROM STDIN`;

/** Writes entries by COPY, which costs a third of an INSERT of the same rows. Every request pays for its log entry. */
export async function insertRequests(pool: Pool, requests: readonly LoggedRequest[]): Promise<void> {
  await pool.copyIn(COPY, requests.map(toCopyLine).join(''));
}

const NAMES = COLUMNS.map(([name]) => name as keyof LoggedRequest); // The columns of that table.

function toCopyLine(entry: LoggedRequest): string {
  let line = '';
  for (const name of NAMES) line += (line === '' ? '' : '\t') + toCopyColumn(entry[name]);
  return `${line}\n`;
}

/** COPY's text format: `\N` is NULL, and separators and the backslash are escaped. */
function toCopyColumn(value: string | number | Date | null): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'object') return value.toISOString();
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, (character) => COPY_ESCAPES[character] ?? '') : value;
}

const COPY_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const SELECTION = { accountId: requestLog.accountId, since: requestLog.createdAt };

const SHOWN = named({
  rowId: requestLog.id,
  id: requestLog.requestId,
  method: requestLog.method,
  path: requestLog.path,
  status: requestLog.status,
  code: requestLog.code,
  durationMs: requestLog.durationMs,
  keyId: requestLog.keyId,
  emailId: requestLog.emailId,
  createdAt: requestLog.createdAt,
});

const isSelected = ({ accountId, since }: GivenOf<typeof SELECTION>) =>
  and(eq(requestLog.accountId, accountId), gte(requestLog.createdAt, since));

// In ORDER BY, a bare `id` would mean the output column of that name, which is the request id.
const NEWEST_FIRST = sql`request_log.id DESC`;

/** Logged requests, newest first. */
export const readRequests = defineStatement(
  { ...SELECTION, before: optional(requestLog.id), limit: value<number>() },
  ({ before, limit, ...selection }) =>
    builder
      .select(SHOWN)
      .from(requestLog)
      .where(and(isSelected(selection), before && lt(requestLog.id, before)))
      .orderBy(NEWEST_FIRST)
      .limit(limit),
);

export type RequestRow = RowOf<typeof readRequests>;

/**
 * The newest logged request with this request id. An id that the client chose is in a separate index; any other is also the id of the
 * entry: `id` is the request id if it is a UUID.
 */
export const findRequest = defineStatement(
  { ...SELECTION, requestId: requestLog.requestId, id: optional(requestLog.id) },
  ({ requestId, id, ...selection }) => {
    const isChosen = and(eq(requestLog.requestId, requestId), sql`${requestLog.requestId} <> ${requestLog.id}::text`);
    const isMadeHere = id && and(eq(requestLog.id, id), eq(requestLog.requestId, requestId));
    return builder
      .select(SHOWN)
      .from(requestLog)
      .where(and(isSelected(selection), or(isChosen, isMadeHere)))
      .orderBy(NEWEST_FIRST)
      .limit(1);
  },
);

export const countRequests = asCount(
  defineStatement({ ...SELECTION, cap: value<number>() }, ({ accountId, since, cap }) =>
    countUpTo(cap, sql`SELECT FROM request_log WHERE account_id = ${accountId} AND created_at >= ${since}`),
  ),
);
