import type { findOperation, OperationOutput } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { dayChart } from '../../../ui/charts/day-chart.ts';
import { card, emptyState, flushCard, tabs } from '../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../ui/components/table.ts';
import { withQuery } from '../page-address.ts';
import type { PageRequest } from '../page-request.ts';

export type Stats = OperationOutput<ReturnType<typeof findOperation<'account.stats'>>>;
type Volume = OperationOutput<ReturnType<typeof findOperation<'account.volume'>>>;

export function volumeCard(volume: Volume): Html {
  const days = volume.map(({ date }) => date);
  return card(
    'Messages',
    dayChart({
      ...{ title: 'Messages on each day by their outcome', days, form: 'stack' },
      series: [
        { label: 'Delivered', values: volume.map(({ delivered }) => delivered) },
        {
          label: 'Sent, no report yet',
          values: volume.map(({ sent, delivered, bounced }) => Math.max(0, sent - delivered - bounced)),
        },
        { label: 'Bounced', values: volume.map(({ bounced }) => bounced) },
      ],
    }),
  );
}

const KINDS = [
  ['hard', 'The address does not exist'],
  ['soft', 'Not deliverable until the retries ran out'],
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
        { label: 'Bounced', values: volume.map(({ bounced }) => bounced) },
        { label: 'Complaints', values: volume.map(({ complained }) => complained) },
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

interface Group {
  readonly name: string;
  readonly sent: number;
  readonly delivered: number;
  readonly bounced: number;
  readonly complained: number;
  readonly bounceRate: number;
  readonly complaintRate: number;
}

/** The same numbers by tag, channel, source or agent. */
export async function breakdownCard(request: PageRequest, window: string): Promise<Html> {
  const given = request.query.text('by');
  const by: Dimension = given !== undefined && given in DIMENSIONS ? (given as Dimension) : 'tag';
  const stats = await request.call('account.stats', {
    query: { window, ...(by === 'tag' ? { by_tag: 'true' } : { provenance: 'true' }) },
  });
  const links = Object.entries(DIMENSIONS).map(([name, label]) => ({
    label: `By ${label.toLowerCase()}`,
    href: `${withQuery('/console', { window, by: name })}#by`,
    isCurrent: name === by,
  }));
  const groups = groupsOf(stats, by).filter(({ sent }) => sent > 0);
  const none = emptyState('No messages', `No message of this window has a value for ${DIMENSIONS[by].toLowerCase()}.`);
  return html`<div id="by">${flushCard('Compare', html`${tabs('Compare by', links)}${groups.length === 0 ? none : table({ caption: `Messages by ${DIMENSIONS[by].toLowerCase()}`, columns: columnsOf(by), rows: groups })}`)}</div>`;
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
