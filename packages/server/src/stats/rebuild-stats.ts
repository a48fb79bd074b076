import type { Sql } from '../db/client.ts';
import { readAccounts } from '../db/queries/accounts.ts';
import { readCountedDays, recountDay } from '../db/queries/count-messages.ts';
import { utcDay } from './window-days.ts';

const DAY_MS = 86_400_000;

export interface RebuiltStats {
  readonly accounts: number;
  readonly days: number;
  readonly messages: number;
}

/**
 * Rebuilds the roll-ups of every account from the log, day by day, so that nothing is blocked for long. Days from which
 * retention has removed messages, or is about to, stay unchanged: the log is incomplete for them.
 */
export async function rebuildStats(sql: Sql, now: Date, logRetentionDays: number): Promise<RebuiltStats> {
  const firstWhole = utcDay(new Date(now.getTime() - (logRetentionDays - 1) * DAY_MS));
  const accounts = await readAccounts(sql, null);
  let [days, messages] = [0, 0];
  for (const { id } of accounts) {
    for (const day of await readCountedDays(sql, id, firstWhole)) {
      messages += await recountDay(sql, id, day);
      days += 1;
    }
  }
  return { accounts: accounts.length, days, messages };
}
