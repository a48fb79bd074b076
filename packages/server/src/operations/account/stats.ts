import { CHANNELS, LIMITS, type OperationById, type OperationOutput, SOURCES } from '@postrider/core';
import {
  type OutcomeCounts,
  readCountsByKind,
  readWholeCounts,
  type StatsKind,
  type StatsRow,
  type WholeCounts,
} from '../../db/queries/statistics.ts';
import { percent } from '../../stats/percent.ts';
import { readWindow, spansOf } from '../../stats/window-days.ts';
import type { Handler } from '../context.ts';

type Stats = OperationOutput<OperationById<'account.stats'>>;

export const getAccountStats: Handler<'account.stats'> = async ({ query }, { services: { database }, caller }) => {
  const { sql, clock } = database;
  const days = readWindow(query.window, clock.now());
  const [whole, rows] = await Promise.all([
    readWholeCounts(sql, caller.accountId, days),
    readCountsByKind(sql, caller.accountId, {
      ...{ days, spans: spansOf(days), topAgents: LIMITS.topAgents },
      ...{ byTag: query.by_tag, provenance: query.provenance },
    }),
  ]);
  return {
    body: {
      window: `${query.window}d`,
      ...withRates(whole),
      ...(query.by_tag ? { byTag: rowsOf(rows, 'tag').map(toTagStats) } : {}),
      ...(query.bounces ? { bounces: toBounceKinds(whole) } : {}),
      ...(query.engagement ? toEngagement(whole, caller) : {}),
      ...(query.provenance ? toProvenance(rows) : {}),
    },
  };
};

function rowsOf(rows: readonly StatsRow[], kind: StatsKind): readonly StatsRow[] {
  return rows.filter((row) => row.kind === kind);
}

function withRates({ sent, delivered, bounced, complained }: OutcomeCounts) {
  return {
    ...{ sent, delivered, bounced, complained, deliveryRate: percent(delivered, sent) },
    ...failureRates({ sent, bounced, complained }),
  };
}

function failureRates({ sent, bounced, complained }: Omit<OutcomeCounts, 'delivered'>) {
  return { bounceRate: percent(bounced, sent), complaintRate: percent(complained, sent) };
}

function toTagStats(row: StatsRow) {
  const { value: tag, sent, delivered, bounced, complained } = row;
  return { tag, sent, delivered, bounced, complained, ...failureRates(row) };
}

function toBounceKinds({ hard, soft, block, spam, unknown }: WholeCounts) {
  return { hard, soft, block, spam, unknown };
}

/** Metrics of untracked mail are unknown, so the block is missing then. */
function toEngagement(
  { openTracked, opened, clickTracked, clicked }: WholeCounts,
  { trackOpens, trackClicks }: { readonly trackOpens: boolean; readonly trackClicks: boolean },
): Pick<Stats, 'opens' | 'clicks'> {
  return {
    ...(trackOpens ? { opens: { tracked: openTracked, opened, openRate: percent(opened, openTracked) } } : {}),
    ...(trackClicks ? { clicks: { tracked: clickTracked, clicked, clickRate: percent(clicked, clickTracked) } } : {}),
  };
}

const NOTHING: OutcomeCounts = { sent: 0, delivered: 0, bounced: 0, complained: 0 };

/** Every channel and source is listed, used or not. */
function toProvenance(rows: readonly StatsRow[]): Pick<Stats, 'byChannel' | 'bySource' | 'topAgents'> {
  const of = (kind: StatsKind, value: string) =>
    withRates(rows.find((row) => row.kind === kind && row.value === value) ?? NOTHING);
  return {
    byChannel: CHANNELS.map((channel) => ({ channel, ...of('channel', channel) })),
    bySource: SOURCES.map((source) => ({ source, ...of('source', source) })),
    topAgents: rowsOf(rows, 'agent').map((row) => ({ agentName: row.value, ...withRates(row) })),
  };
}
