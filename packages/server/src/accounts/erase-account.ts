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

/** Rows a statement removes at most, so that none runs into its time limit; files are up to a thousand times as large as other rows. */
const ROWS_AT_ONCE = 2_000;
const FILES_AT_ONCE = 50;
/** Processes believe what they read of a key for half a second, and write down what they were asked a moment later. */
const STRAGGLERS_MS = 1_000;

export interface Erasure {
  /** False where there is no such account, or it is kept. */
  readonly isErased: boolean;
  /** How many rows it had. */
  readonly rows: number;
}

/**
 * Removes everything of an account, in batches. What is interrupted goes on when it is called again. With `onlyIfDue` an account is left in
 * peace whose deletion is not due.
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
  // What was under way when the keys went has been written down by now, and nothing comes after it.
  await pause(STRAGGLERS_MS);
  rows += await eraseAllRows(sql, accountId);
  return { isErased: true, rows };
}

/** Erases the accounts whose time is over; answers their ids. */
export async function eraseDueAccounts(sql: Sql, now: Date): Promise<readonly string[]> {
  const erased: string[] = [];
  for (const id of await readAccountsToErase(sql, now)) {
    if ((await eraseAccount(sql, id, { now, onlyIfDue: true })).isErased) erased.push(id);
  }
  return erased;
}

/** Goes through all tables until none holds anything: one may be filled from another behind our back, or refer to one that comes later. */
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
    const count = await eraseInPeace(sql, accountId, name, limit);
    rows += count;
    if (count < limit) return rows;
  }
}

const ATTEMPTS = 5;

/** Who writes to the same rows at this moment may be in the way once. */
async function eraseInPeace(sql: Sql, accountId: string, table: string, limit: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await eraseRows(sql, accountId, table, limit);
    } catch (error) {
      if (classifyDatabaseError(error) !== 'conflict' || attempt === ATTEMPTS) throw error;
    }
  }
}
