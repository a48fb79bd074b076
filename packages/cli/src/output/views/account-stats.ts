import type { AccountStats } from '@postrider/sdk';
import { bar } from '../bar.ts';
import { isRecord, type JsonRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderBlock, withinBlock } from '../sheet.ts';
import { sparkLine } from '../spark-line.ts';
import { type Column, renderTable } from '../table.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';

const BAR_COLUMNS = 24;

/** The outcomes of a window: the totals first, then one block per requested breakdown. */
export function showStats(response: Shown<AccountStats>, output: Output): void {
  const parts = [
    renderOutcomes(response, output),
    blockOf('by tag', 'tag', response['byTag'], output),
    bounceBlock(response['bounces'], output),
    engagementBlock('opens', response['opens'], ['opened', 'openRate'], output),
    engagementBlock('clicks', response['clicks'], ['clicked', 'clickRate'], output),
    blockOf('by channel', 'channel', response['byChannel'], output),
    blockOf('by source', 'source', response['bySource'], output),
    blockOf('top agents', 'agentName', response['topAgents'], output),
  ];
  output.writeText(parts.join(''));
}

/** The days of a window, each with a bar for the messages sent. */
export function showVolume(response: JsonRecord, output: Output): void {
  const days = recordsOf(response['items']);
  const sent = days.map((day) => numberOf(day['sent']));
  const counts = ['sent', 'delivered', 'bounced', 'complained', 'opened', 'clicked'];
  const columns = [
    { title: 'date (utc)', cells: days.map((day) => singleLine(textOf(day['date']))) },
    ...counts.map((name, index) => ({
      ...numberColumn(
        name,
        days.map((day) => numberOf(day[name])),
      ),
      ...(index < 3 ? {} : { dropOrder: 9 - index }),
    })),
    barColumn(sent, Math.max(...sent)),
  ];
  if (days.length > 0) output.writeText(renderTable(columns, output.width, output.paint));
  output.writeText(blockOf('by value', 'value', groupTotals(days), output));
  output.remark(`${number(sent.reduce((sum, one) => sum + one, 0))} messages sent in ${days.length} days.`);
}

/** The days of a window as one line per outcome with one character per day, and the maximum. */
export function showDays(volume: unknown, output: Output): void {
  const days = recordsOf(volume);
  const counts = ['sent', 'delivered', 'bounced', 'complained'];
  const series = counts.map((name) => days.map((day) => numberOf(day[name])));
  const [first, last] = [days[0], days.at(-1)].map((day) => singleLine(textOf(day?.['date'])));
  if (!series.some((values) => values.some((value) => value > 0))) return;
  const columns: Column[] = [
    { title: '', cells: counts },
    rightColumn(
      'max',
      series.map((values) => number(Math.max(...values))),
    ),
    { title: `${first} to ${last} (utc)`, cells: series.map(sparkLine), dropOrder: 1 },
  ];
  output.writeText(renderBlock('by day', renderTable(columns, withinBlock(output).width, output.paint), output));
}

/** The groups of all days added up, in their order. */
function groupTotals(days: readonly JsonRecord[]): readonly JsonRecord[] {
  const sent = new Map<string, number>();
  for (const group of days.flatMap((day) => recordsOf(day['groups']))) {
    const value = textOf(group['value']);
    sent.set(value, (sent.get(value) ?? 0) + numberOf(group['sent']));
  }
  return [...sent].map(([value, total]) => ({ value, sent: total }));
}

function renderOutcomes(stats: JsonRecord, output: Output): string {
  const sent = numberOf(stats['sent']);
  const rows = [
    ['sent', ''],
    ['delivered', 'deliveryRate'],
    ['bounced', 'bounceRate'],
    ['complained', 'complaintRate'],
  ] as const;
  const values = rows.map(([name]) => numberOf(stats[name]));
  const columns = [
    { title: singleLine(textOf(stats['window'])), cells: rows.map(([name]) => name) },
    numberColumn('messages', values),
    rightColumn(
      'rate',
      rows.map(([, name]) => (name === '' ? '' : percent(stats[name]))),
    ),
    barColumn(values, sent),
  ];
  return renderTable(columns, output.width, output.paint);
}

/** One line per tag, channel and so on, with a bar relative to the largest. */
function blockOf(title: string, name: string, value: unknown, output: Output): string {
  const rows = recordsOf(value);
  if (rows.length === 0) return '';
  const sent = rows.map((row) => numberOf(row['sent']));
  const rate = (of: string, dropOrder: number) =>
    of in (rows[0] ?? {})
      ? [
          {
            ...rightColumn(
              RATE_TITLES[of] ?? of,
              rows.map((row) => percent(row[of])),
            ),
            dropOrder,
          },
        ]
      : [];
  const columns: Column[] = [
    {
      title: name === 'agentName' ? 'agent' : name,
      cells: rows.map((row) => singleLine(textOf(row[name]))),
      minWidth: 12,
    },
    numberColumn('sent', sent),
    ...rate('deliveryRate', 2),
    ...rate('bounceRate', 3),
    ...rate('complaintRate', 4),
    barColumn(sent, Math.max(...sent)),
  ];
  return renderBlock(title, renderTable(columns, withinBlock(output).width, output.paint), output);
}

const RATE_TITLES: Readonly<Record<string, string>> = {
  deliveryRate: 'delivered',
  bounceRate: 'bounced',
  complaintRate: 'complained',
};

function bounceBlock(value: unknown, output: Output): string {
  if (!isRecord(value)) return '';
  const kinds = Object.entries(value).map(([kind, count]) => [singleLine(kind), numberOf(count)] as const);
  const counts = kinds.map(([, count]) => count);
  const columns = [
    { title: 'kind', cells: kinds.map(([kind]) => kind) },
    numberColumn('messages', counts),
    barColumn(counts, Math.max(...counts)),
  ];
  return renderBlock('bounces', renderTable(columns, withinBlock(output).width, output.paint), output);
}

function engagementBlock(
  title: string,
  value: unknown,
  [name, rate]: readonly [string, string],
  output: Output,
): string {
  if (!isRecord(value)) return '';
  const counts = ['tracked', name].map((field) => numberOf(value[field]));
  const columns = [
    { title: '', cells: ['tracked', name] },
    numberColumn('messages', counts),
    rightColumn('rate', ['', percent(value[rate])]),
    barColumn(counts, counts[0] ?? 0),
  ];
  return renderBlock(title, renderTable(columns, withinBlock(output).width, output.paint), output);
}

function barColumn(values: readonly number[], most: number): Column {
  return { title: '', cells: values.map((value) => bar(value, most, BAR_COLUMNS)), dropOrder: 1 };
}

function numberColumn(title: string, values: readonly number[]): Column {
  return rightColumn(title, values.map(number));
}

function rightColumn(title: string, cells: readonly string[]): Column {
  const width = Math.max(title.length, ...cells.map(({ length }) => length));
  return { title: title.padStart(width), cells: cells.map((cell) => cell.padStart(width)) };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function percent(value: unknown): string {
  return `${numberOf(value).toFixed(2)} %`;
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['AccountStats'], showStats)];
