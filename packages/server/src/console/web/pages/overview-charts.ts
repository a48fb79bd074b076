import type { findOperation, OperationOutput } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { dayChart } from '../../../ui/charts/day-chart.ts';
import { card, emptyState, flushCard, tabs } from '../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../ui/components/table.ts';
import { withQuery } from '../page-address.ts';
import type { PageRequest } from '../page-request.ts';

export type Stats = OperationOutput<ReturnType<typeof findOperation<'account.stats'>>>;
type Volume = OperationOutput<ReturnType<typeof findOperation<'account.volume'>>>;

/** Green, blue, red and orange of the style sheet. */
const COLORS = { delivered: 2, open: 1, bounced: 4, complained: 3 } as const;

export function volumeCard(volume: Volume): Html {
  const days = volume.map(({ date }) => date);
  return card(
    'Messages',
    dayChart({
      ...{ title: 'Messages on each day by their outcome', days, form: 'stack' },
      series: [
        { label: 'Delivered', values: volume.map(({ delivered }) => delivered), color: COLORS.delivered },
        {
          label: 'Sent, no report yet',
          values: volume.map(({ sent, delivered, bounced }) => Math.max(0, sent - delivered - bounced)),
          color: COLORS.open,
        },
        { label: 'Bounced', values: volume.map(({ bounced }) => bounced), color: COLORS.bounced },
      ],
    }),
  );
}

const KINDS = [
  ['hard', 'The address does not exist'],
  ['soft', 'Not deliverable before the retries ran out'],
  ['block', 'Refused because of policy or content'],
  ['spam', 'Reported as spam'],
  ['unknown', 'No reason reported'],
] as const;

export function failureCard(volume: Volume, { bounces }: Stats): Html {
  const kinds = KINDS.flatMap(([kind, words]) => {
    const count = bounces?.[kind] ?? 0;
    return count === 0
      ? []
      : [html`<li class="row"><span>${words}</span><b class="end">${count.toLocaleString('en-US')}</b></li>`];
  });
  return card(
    'Bounces and complaints',
    html`${dayChart({
      ...{ title: 'Bounces and complaints on each day', days: volume.map(({ date }) => date), form: 'lines' },
      series: [
        { label: 'Bounced', values: volume.map(({ bounced }) => bounced), color: COLORS.bounced },
        { label: 'Complaints', values: volume.map(({ complained }) => complained), color: COLORS.complained },
      ],
    })}${kinds.length === 0 ? null : html`<ul class="plain">${kinds}</ul>`}`,
  );
}

export function engagementCard(volume: Volume, { opens, clicks }: Stats): Html {
  if (opens === undefined && clicks === undefined) {
    return card(
      'Opens and clicks',
      emptyState(
        'Not measured',
        html`Tracking is off. An owner or admin can turn it on in <a href="/console/settings">Settings</a>.`,
      ),
    );
  }
  const series = [
    ...(opens === undefined ? [] : [{ label: 'Opened', values: volume.map(({ opened }) => opened) }]),
    ...(clicks === undefined ? [] : [{ label: 'Clicked', values: volume.map(({ clicked }) => clicked) }]),
  ];
  return card(
    'Opens and clicks',
    dayChart({
      title: 'Opened and clicked messages on each day',
      days: volume.map(({ date }) => date),
      form: 'lines',
      series,
    }),
  );
}

const DIMENSIONS = { tag: 'Tag', channel: 'Channel', source: 'Source', agent: 'Agent' } as const;
type Dimension = keyof typeof DIMENSIONS;

const METRICS = {
  ...{ sent: 'Sent', delivered: 'Delivered', bounced: 'Bounced', complained: 'Complaints' },
  ...{ opened: 'Opened', clicked: 'Clicked' },
} as const;
type Metric = keyof typeof METRICS;

/** The choices of the comparison, as parameters of the page. */
export const COMPARE_QUERY = { by: Object.keys(DIMENSIONS), metric: Object.keys(METRICS) };

interface Group {
  readonly name: string;
  readonly sent: number;
  readonly delivered: number;
  readonly bounced: number;
  readonly complained: number;
  readonly bounceRate: number;
  readonly complaintRate: number;
}

/** One number at a time over the window, by tag, channel, source or agent, and all numbers of each in a table. */
export async function breakdownCard(request: PageRequest, window: string): Promise<Html> {
  const by = chosen(DIMENSIONS, request.query.text('by'), 'tag');
  const metric = chosen(METRICS, request.query.text('metric'), 'sent');
  const [stats, volume] = await Promise.all([
    request.call('account.stats', {
      query: { window, ...(by === 'tag' ? { by_tag: 'true' } : { provenance: 'true' }) },
    }),
    request.call('account.volume', { query: { window, by } }),
  ]);
  const linkTo = (change: { readonly by?: string; readonly metric?: string }) =>
    `${withQuery('/console', { window, by, metric, ...change })}#compare`;
  const dimensions = Object.entries(DIMENSIONS).map(([name, label]) => ({
    ...{ label: `By ${label.toLowerCase()}`, href: linkTo({ by: name }), isCurrent: name === by },
  }));
  const metrics = Object.entries(METRICS).map(
    ([name, label]) =>
      html`<a class="chip" href="${linkTo({ metric: name })}"${name === metric ? html` aria-current="true"` : null}>${label}</a>`,
  );
  const groups = groupsOf(stats, by).filter(({ sent }) => sent > 0);
  const label = DIMENSIONS[by].toLowerCase();
  const content =
    groups.length === 0
      ? emptyState('No messages', `No message in this period has a value for ${label}.`)
      : html`<div class="body"><div class="chips" role="group" aria-label="What to compare">${metrics}</div>${dayChart(chartOf(volume, by, metric))}</div>
${table({ caption: `Messages by ${label}`, columns: columnsOf(by), rows: groups })}`;
  return html`<div id="compare">${flushCard('Compare', html`${tabs('Compare by', dimensions)}${content}`)}</div>`;
}

/** A choice in the address; the first one for anything that is none. */
function chosen<Name extends string>(
  all: Readonly<Record<Name, string>>,
  given: string | undefined,
  first: Name,
): Name {
  return given !== undefined && Object.hasOwn(all, given) ? (given as Name) : first; // It is a name of the record.
}

/** A message counts in each of its tags, so only the other dimensions are parts of a whole. */
function chartOf(volume: Volume, by: Dimension, metric: Metric) {
  const title = `${METRICS[metric]} on each day by ${DIMENSIONS[by].toLowerCase()}`;
  const names = (volume[0]?.groups ?? []).map(({ value }) => value);
  const hasOther = volume.some(({ other }) => (other?.[metric] ?? 0) > 0);
  return {
    ...{
      title,
      days: volume.map(({ date }) => date),
      form: by === 'tag' ? ('lines' as const) : ('stack' as const),
      column: 'whole' as const,
    },
    series: [
      ...names.map((label, index) => ({ label, values: volume.map(({ groups }) => groups?.[index]?.[metric] ?? 0) })),
      ...(hasOther ? [{ label: 'Others', values: volume.map(({ other }) => other?.[metric] ?? 0) }] : []),
    ],
  };
}

function columnsOf(by: Dimension): readonly Column<Group>[] {
  const parameter = by === 'agent' ? 'agent_name' : by;
  const number = (label: string, cell: (group: Group) => string): Column<Group> => ({ label, kind: 'number', cell });
  return [
    {
      label: DIMENSIONS[by],
      kind: 'lead',
      cell: ({ name }) =>
        html`<a class="row-link" href="${withQuery('/console/messages', { [parameter]: name })}">${name}</a>`,
    },
    number('Sent', ({ sent }) => sent.toLocaleString('en-US')),
    number('Delivered', ({ delivered }) => delivered.toLocaleString('en-US')),
    number('Bounced', ({ bounceRate }) => `${bounceRate.toFixed(2)} %`),
    number('Complaints', ({ complaintRate }) => `${complaintRate.toFixed(2)} %`),
  ];
}

function groupsOf({ byTag, byChannel, bySource, topAgents }: Stats, by: Dimension): readonly Group[] {
  switch (by) {
    case 'tag':
      return (byTag ?? []).map(({ tag, ...rest }) => ({ name: tag, ...rest })).slice(0, 50);
    case 'channel':
      return (byChannel ?? []).map(({ channel, ...rest }) => ({ name: channel, ...rest }));
    case 'source':
      return (bySource ?? []).map(({ source, ...rest }) => ({ name: source, ...rest }));
    case 'agent':
      return (topAgents ?? []).map(({ agentName, ...rest }) => ({ name: agentName, ...rest }));
  }
}
