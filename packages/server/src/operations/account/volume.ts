import { readVolume } from '../../db/queries/statistics.ts';
import { daysOf, readWindow } from '../../stats/window-days.ts';
import type { Handler } from '../context.ts';

export const getAccountVolume: Handler<'account.volume'> = async ({ query }, { services: { database }, caller }) => {
  const days = readWindow(query.window, database.clock.now());
  const rows = await readVolume(database.sql, caller.accountId, days);
  const known = new Map(rows.map((row) => [row.date, row]));
  const nothing = { sent: 0, delivered: 0, bounced: 0, complained: 0, opened: 0, clicked: 0 };
  return { body: daysOf(days).map((date) => known.get(date) ?? { date, ...nothing }) };
};
