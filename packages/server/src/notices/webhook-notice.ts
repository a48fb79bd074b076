import { LIMITS } from '@postrider/core';
import type { NoticedEndpoint } from '../db/queries/noticed-facts.ts';
import { formatTime } from '../html/time-words.ts';
import { ours, words } from '../installation-mail/mail-text.ts';
import type { WrittenMail } from '../installation-mail/written-mail.ts';
import { listThings, type NoticeContext, paragraph } from './notice-parts.ts';

/** A mail about endpoints that were disabled because of their responses. */
export function writeDisabledEndpoints(
  first: NoticedEndpoint,
  endpoints: readonly NoticedEndpoint[],
  { accountName, baseUrl }: NoticeContext,
): WrittenMail {
  const footer = words`You get this email because your role in ${accountName} lets you change its webhook endpoints.`;
  if (endpoints.length > 1) {
    return {
      subject: ours(`${endpoints.length} webhook endpoints disabled`),
      preheader: ours('No more events are delivered to them. Events are still stored.'),
      heading: ours(`${endpoints.length} webhook endpoints were disabled`),
      opening: [
        ...listThings(accountName, endpoints, (one) => words`${one.url}: ${ours(reasonOf(one))}`),
        paragraph(
          words`No more events are delivered to them. Events are still stored. When an endpoint works again, enable it and replay the events that it missed. One replay covers up to ${LIMITS.webhookReplayDays} days.`,
        ),
      ],
      button: { label: 'Open the endpoints', url: `${baseUrl}/console/webhooks` },
      ...{ rest: [], footer },
    };
  }
  const { id, url } = first;
  return {
    subject: ours(`Webhook endpoint disabled: ${hostOf(url)}`),
    preheader: ours('No more events are delivered to it. Events are still stored.'),
    heading: ours('A webhook endpoint was disabled'),
    opening: [
      {
        kind: 'facts',
        facts: [
          { name: 'Account', lines: [words`${accountName}`] },
          { name: 'Endpoint', lines: [words`${url}`] },
          { name: 'Reason', lines: [ours(reasonOf(first))] },
        ],
      },
      paragraph(
        words`No more events are delivered to it. Events are still stored. When it works again, enable it and replay the events that it missed. One replay covers up to ${LIMITS.webhookReplayDays} days.`,
      ),
    ],
    button: { label: 'Open the endpoint', url: `${baseUrl}/console/webhooks/${id}` },
    rest: [
      paragraph(ours('To enable it and replay events from a terminal:')),
      {
        kind: 'commands',
        lines: [
          `postrider webhooks update ${id} --status enabled`,
          `postrider webhooks replay ${id} --since <time> --status failed`,
        ],
      },
      paragraph(ours('To read its failed deliveries over the API:')),
      { kind: 'commands', lines: [`GET ${baseUrl}/webhooks/${id}/deliveries?status=failed`] },
    ],
    footer,
  };
}

const GONE = 'It responded with 410 (Gone), which asks for no more deliveries.';

function reasonOf({ reason, failingSince }: NoticedEndpoint): string {
  if (reason === 'gone') return GONE;
  return `All deliveries to it have failed since ${failingSince === null ? 'several days ago' : formatTime(failingSince)}.`;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an endpoint';
}
