import { LIMITS, type OperationById, type OperationOutput } from '@postrider/core';
import type { Query } from '../../db/client.ts';
import {
  readTopValues,
  readVolume,
  readVolumeOf,
  type SeriesRow,
  type StatsKind,
} from '../../db/queries/statistics.ts';
import { type DayRange, daysOf, readWindow, spansOf } from '../../stats/window-days.ts';
import type { Handler } from '../context.ts';

type Point = OperationOutput<OperationById<'account.volume'>>[number];
type Counts = Omit<SeriesRow, 'date' | 'value'>;

export const getAccountVolume: Handler<'account.volume'> = async ({ query }, { services: { database }, caller }) => {
  const { sql, clock } = database;
  const days = readWindow(query.window, clock.now());
  const { by, value } = query;
  const account = { sql, accountId: caller.accountId, days };
  if (by !== undefined && value !== undefined) return { body: await readOneValue(account, by, value) };
  const points = toPoints(days, await readVolume(sql, caller.accountId, days));
  return { body: by === undefined ? points : await addGroups(account, by, points) };
};

interface AccountDays {
  readonly sql: Query;
  readonly accountId: string;
  readonly days: DayRange;
}

const COUNT_NAMES = ['sent', 'delivered', 'bounced', 'complained', 'opened', 'clicked'] as const;
const NOTHING: Counts = { sent: 0, delivered: 0, bounced: 0, complained: 0, opened: 0, clicked: 0 };

/** Each day, those without data included. */
function toPoints(days: DayRange, rows: readonly (Counts & { readonly date: string })[]): Point[] {
  const known = new Map(rows.map((row) => [row.date, countsOf(row)]));
  return daysOf(days).map((date) => ({ date, ...(known.get(date) ?? NOTHING) }));
}

function countsOf({ sent, delivered, bounced, complained, opened, clicked }: Counts): Counts {
  return { sent, delivered, bounced, complained, opened, clicked };
}

/** Tags are stored in lower case. */
async function readOneValue({ sql, accountId, days }: AccountDays, kind: StatsKind, value: string) {
  const values = [kind === 'tag' ? value.toLowerCase() : value];
  return toPoints(days, await readVolumeOf(sql, accountId, { days, kind, values }));
}

async function addGroups(
  { sql, accountId, days }: AccountDays,
  kind: StatsKind,
  points: readonly Point[],
): Promise<Point[]> {
  // Only tags and agents have roll-ups of several days; there are few channels and sources.
  const spans = kind === 'tag' || kind === 'agent' ? spansOf(days) : [{ span: 1 as const, ...days }];
  const values = await readTopValues(sql, accountId, { kind, spans, limit: LIMITS.volumeGroups });
  const rows = await readVolumeOf(sql, accountId, { days, kind, values });
  const known = Map.groupBy(rows, ({ date }) => date);
  return points.map((point) => {
    const ofDay = known.get(point.date) ?? [];
    const counts = (value: string) => ofDay.find((row) => row.value === value) ?? NOTHING;
    const groups = values.map((value) => ({ value, ...countsOf(counts(value)) }));
    return { ...point, groups, other: kind === 'tag' ? null : restOf(point, groups) };
  });
}

/** What is not in the groups, of messages with one value each. A count that changed between the two reads is not negative. */
function restOf(point: Counts, groups: readonly Counts[]): Counts {
  const rest = COUNT_NAMES.map((name) => {
    const counted = groups.reduce((sum, group) => sum + group[name], 0);
    return [name, Math.max(0, point[name] - counted)] as const;
  });
  return { ...NOTHING, ...Object.fromEntries(rest) };
}
