import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import {
  type AccountTable,
  beginErasure,
  eraseAccountRow,
  eraseRows,
  readAccountsToErase,
  readAccountTables,
} from '../db/queries/account-deletion.ts';

/**
 * The maximum number of rows per statement, so that none exceeds the statement timeout. Files are up to a thousand times as large as other
 * rows.
 */
const ROWS_AT_ONCE = 2_000;
const FILES_AT_ONCE = 50;
/** Processes cache a key for half a second and write accepted requests shortly after. */
const STRAGGLERS_MS = 1_000;

export interface Erasure {
  /** False if the account does not exist, or is not to be deleted. */
  readonly isErased: boolean;
  /** The number of rows erased. */
  readonly rows: number;
}

/**
 * Erases everything of an account, in batches. Calling it again continues an interrupted erasure. With `onlyIfDue`, an account whose
 * deletion is not due is left unchanged.
 */
export async function eraseAccount(
  sql: Sql,
  accountId: string,
  { now, onlyIfDue }: { readonly now: Date; readonly onlyIfDue: boolean },
): Promise<Erasure> {
  if (!(await beginErasure(sql, accountId, now, onlyIfDue))) return { isErased: false, rows: 0 };
  await pause(STRAGGLERS_MS);
  let rows = await eraseAllRows(sql, accountId);
  await eraseAccountRow(sql, accountId);
  // Requests that were running when the keys were deleted have been written by now, and no more can follow.
  await pause(STRAGGLERS_MS);
  rows += await eraseAllRows(sql, accountId);
  return { isErased: true, rows };
}

/** Erases the accounts whose deletion is due. Returns their ids. */
export async function eraseDueAccounts(sql: Sql, now: Date): Promise<readonly string[]> {
  const erased: string[] = [];
  for (const id of await readAccountsToErase(sql, now)) {
    if ((await eraseAccount(sql, id, { now, onlyIfDue: true })).isErased) erased.push(id);
  }
  return erased;
}

/**
 * Repeats over all tables until none has rows: concurrent writes may copy rows between tables, and rows may refer to tables later in the
 * order.
 */
async function eraseAllRows(sql: Sql, accountId: string): Promise<number> {
  let rows = 0;
  for (;;) {
    let found = 0;
    for (const table of await readAccountTables(sql)) found += await eraseTable(sql, accountId, table);
    if (found === 0) return rows;
    rows += found;
  }
}

async function eraseTable(sql: Sql, accountId: string, { name, hasFiles }: AccountTable): Promise<number> {
  const limit = hasFiles ? FILES_AT_ONCE : ROWS_AT_ONCE;
  let rows = 0;
  for (;;) {
    const count = await eraseWithRetries(sql, accountId, name, limit);
    rows += count;
    if (count < limit) return rows;
  }
}

const ATTEMPTS = 5;

/** Retries when a concurrent writer of the same rows causes a conflict. */
async function eraseWithRetries(sql: Sql, accountId: string, table: string, limit: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await eraseRows(sql, accountId, table, limit);
    } catch (error) {
      if (classifyDatabaseError(error) !== 'conflict' || attempt === ATTEMPTS) throw error;
    }
  }
}
