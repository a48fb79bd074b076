import { setTimeout as pause } from 'node:timers/promises';
import type { OperationId } from '@postrider/sdk';
import type { ApiConnection } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { CliFailure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { placeValues } from '../operation-input.ts';
import { isRecord, type JsonRecord, recordsOf, textOf } from '../output/json-value.ts';
import type { Output } from '../output/output.ts';
import { inertJson } from '../output/untrusted-text.ts';
import { writeAndDrain } from '../output/write-and-drain.ts';
import { INTERVAL_SECONDS_DEFAULT, LAST_DEFAULT, type TailValues } from './tail-flags.ts';

/** The largest page of the API. */
const PAGE_ROWS = 100;
/** The most pages of one poll. With more new rows than that, a notice says that some are not shown. */
const PAGES_MAX = 50;

/** The log to follow. */
export interface LogKind {
  readonly operation: OperationId;
  /** The field of the page that contains the rows. */
  readonly rows: string;
  /** The sort key of the rows. */
  readonly position: (row: JsonRecord) => string;
  readonly describe: (row: JsonRecord, output: Output) => string;
}

/** Prints new rows until the user interrupts or the reader closes the pipe. Temporary errors do not end it. */
export async function followNew(
  kind: LogKind,
  { command, values, own }: Invocation<TailValues>,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const { last = LAST_DEFAULT, interval = INTERVAL_SECONDS_DEFAULT } = own;
  const { query } = placeValues(command, values);
  const log = followLog(kind, query, connection);
  const pauseMs = interval * 1_000;
  const newest = await log.start();
  let isOpen = await print(kind, last === 0 ? [] : newest.slice(-last), output, io);
  while (isOpen) {
    await pause(pauseMs, undefined, io.signal === undefined ? {} : { signal: io.signal });
    isOpen = await print(kind, await pollAgain(kind, log, output), output, io);
  }
  return EXIT_CODES.done;
}

/** Reports temporary errors and continues; all others end the command. */
async function pollAgain(kind: LogKind, log: LogFollower, output: Output): Promise<readonly JsonRecord[]> {
  try {
    const { rows, isWhole } = await log.poll();
    if (!isWhole) output.remark(`Too many new ${kind.rows} to follow; some are not shown.`);
    return rows;
  } catch (error) {
    if (!(error instanceof CliFailure) || !error.problem.retryable) throw error;
    output.remark(`${error.problem.detail} Retrying.`);
    return [];
  }
}

interface LogFollower {
  /** The newest rows, oldest first. */
  start(): Promise<readonly JsonRecord[]>;
  /** New rows since the last call, oldest first. */
  poll(): Promise<{ readonly rows: readonly JsonRecord[]; readonly isWhole: boolean }>;
}

/**
 * New rows are those that were not seen before, rather than those with a higher id: of messages accepted at the same time, one with a lower
 * id can appear later.
 */
function followLog(kind: LogKind, filters: Readonly<Record<string, unknown>>, connection: ApiConnection): LogFollower {
  /** The ids of this command's own requests, which the request log contains too. */
  const own = new Set<string>();
  let seen = new Set<string>();
  /** Rows below this position existed at the start. */
  let floor = '';

  async function readPage(cursor: string | null): Promise<{ rows: readonly JsonRecord[]; next: string | null }> {
    const query = { ...filters, limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) };
    const response = await connection.callCommand(kind.operation, { params: {}, query, headers: {}, body: undefined });
    own.add(response.headers['x-request-id'] ?? '');
    const page = isRecord(response.data) ? response.data : {};
    return { rows: recordsOf(page[kind.rows]), next: textOf(page['nextCursor']) || null };
  }

  return {
    async start() {
      const { rows } = await readPage(null);
      seen = new Set(rows.map(idOf));
      floor = rows.length < PAGE_ROWS ? '' : kind.position(rows.at(-1) ?? {});
      return rows.toReversed();
    },
    async poll() {
      const found: JsonRecord[] = [];
      const newest = new Set<string>();
      let cursor: string | null = null;
      for (let pages = 0; pages < PAGES_MAX; pages += 1) {
        const { rows, next } = await readPage(cursor);
        for (const row of rows) newest.add(idOf(row));
        const fresh = rows.filter((row) => !seen.has(idOf(row)) && kind.position(row) > floor);
        found.push(...fresh.filter((row) => !own.has(idOf(row))));
        cursor = fresh.length === rows.length ? next : null;
        if (cursor === null) break;
      }
      // Rows of earlier pages stay known, because a late row can appear below them.
      seen = new Set([...[...seen].slice(-PAGES_MAX * PAGE_ROWS), ...newest]);
      return { rows: found.reverse(), isWhole: cursor === null };
    },
  };
}

async function print(kind: LogKind, rows: readonly JsonRecord[], output: Output, io: CliIo): Promise<boolean> {
  for (const row of rows) {
    const line = output.isJson ? inertJson(JSON.stringify(row)) : kind.describe(row, output);
    if (!(await writeAndDrain(io.stdout, `${line}\n`))) return false;
  }
  return true;
}

export function idOf(row: JsonRecord): string {
  return textOf(row['id']);
}
