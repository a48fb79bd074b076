import type { OperationById, OperationOutput } from '@postrider/core';
import { line, section } from './message-text.ts';

type Stats = OperationOutput<OperationById<'account.stats'>>;
type Outcome = Pick<Stats, 'sent' | 'delivered' | 'bounced' | 'complained' | 'bounceRate' | 'complaintRate'> & {
  readonly deliveryRate?: number;
};

/** The statistics of a window; tags and agent names are third-party text. */
export function describeStats(stats: Stats, untrusted: (text: string) => string): string {
  const { window, byTag = [], byChannel = [], bySource = [], topAgents = [] } = stats;
  const named = [
    ...section(
      'By tag',
      byTag.map((row) => `${row.tag}: ${describeOutcome(row)}`),
    ),
    ...section(
      'Agents that sent most',
      topAgents.map((row) => `${row.agentName}: ${describeOutcome(row)}`),
    ),
  ];
  return [
    `Last ${window}, in messages: ${describeOutcome(stats)}`,
    ...line('Bounces by kind', describeBounces(stats)),
    ...line('Opens', describeOpens(stats)),
    ...line('Clicks', describeClicks(stats)),
    ...section(
      'By channel',
      byChannel.map((row) => `${row.channel}: ${describeOutcome(row)}`),
    ),
    ...section(
      'By source',
      bySource.map((row) => `${row.source}: ${describeOutcome(row)}`),
    ),
    ...(named.length === 0 ? [] : [untrusted(named.join('\n'))]),
  ].join('\n');
}

function describeOutcome(row: Outcome): string {
  const { sent, delivered, bounced, complained, deliveryRate, bounceRate, complaintRate } = row;
  const share = deliveryRate === undefined ? '' : ` (${deliveryRate} %)`;
  return `${sent} sent, ${delivered} delivered${share}, ${bounced} bounced (${bounceRate} %), ${complained} reported as spam (${complaintRate} %)`;
}

function describeBounces({ bounces }: Stats): string | null {
  if (bounces === undefined) return null;
  return Object.entries(bounces)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');
}

function describeOpens({ opens }: Stats): string | null {
  return opens === undefined ? null : `${opens.opened} of ${opens.tracked} tracked messages (${opens.openRate} %)`;
}

function describeClicks({ clicks }: Stats): string | null {
  return clicks === undefined
    ? null
    : `${clicks.clicked} of ${clicks.tracked} tracked messages (${clicks.clickRate} %)`;
}
