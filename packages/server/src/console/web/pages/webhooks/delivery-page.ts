import type { findOperation, OperationOutput, Problem } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { statusBadge } from '../../../../ui/components/badge.ts';
import { button, linkButton } from '../../../../ui/components/button.ts';
import { facts } from '../../../../ui/components/facts.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { card } from '../../../../ui/components/surfaces.ts';
import { time } from '../../../../ui/components/time.ts';
import { type PageResult, page } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import { withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { durationWords } from './deliveries-table.ts';
import { eventWords } from './event-choice.ts';
import { deliveryPath, endpointPath, WEBHOOKS_PATH } from './paths.ts';

type Detail = OperationOutput<ReturnType<typeof findOperation<'webhooks.delivery'>>>;

/** One attempt: what was sent, and what the endpoint responded with. */
export async function deliveryPage(request: PageRequest, problem: Problem | null): Promise<PageResult> {
  const params = { id: request.param('id'), deliveryId: request.param('deliveryId') };
  const [endpoint, delivery] = await Promise.all([
    request.call('webhooks.get', { params: { id: params.id } }),
    request.call('webhooks.delivery', { params }),
  ]);
  const title = `${eventWords(delivery.eventType)}, attempt ${delivery.attempt}`;
  const path = endpointPath(endpoint);
  const retry =
    endpoint.status === 'enabled' && request.may('webhooks.retry')
      ? html`<form method="post" action="${deliveryPath(endpoint, delivery.id)}/retry">${button(delivery.status === 'pending' ? 'Deliver it now' : 'Deliver it again', { kind: 'primary', key: 'r' })}</form>`
      : null;
  const others = linkButton('All attempts', withQuery(`${path}/deliveries`, { event_id: delivery.eventId }));
  return page({
    ...{ title, section: 'webhooks', status: problem?.status ?? 200 },
    content: html`${pageHeader({
      ...{
        title,
        lead: html`${statusBadge(delivery.status)} ${time(delivery.createdAt)}`,
        actions: html`${others}${retry}`,
      },
      crumbs: [
        { label: 'Webhooks', href: WEBHOOKS_PATH },
        { label: endpoint.description ?? endpoint.url, href: path },
        { label: 'Deliveries', href: `${path}/deliveries` },
      ],
    })}${problem === null ? null : problemNotice(problem)}<div class="halves">${requestCard(delivery)}${responseCard(delivery)}</div>`,
  });
}

function requestCard({ request: { url, headers, body } }: Detail): Html {
  const shown = facts([
    ['URL', html`<code>${url}</code>`],
    ...Object.entries(headers).map(([name, value]) => [name, html`<code>${value}</code>`] as const),
  ]);
  const content =
    body === null
      ? html`<p class="soft">The event is no longer stored, or your role cannot read what it is about.</p>`
      : html`<pre tabindex="0">${pretty(body)}</pre>`;
  return card('Request', html`${shown}<h3>Body</h3>${content}`);
}

function responseCard(delivery: Detail): Html {
  const { statusCode, error, durationMs, nextAttemptAt, responseBody, status, eventId } = delivery;
  if (status === 'pending') {
    return card(
      'Response',
      html`<p class="soft">The attempt was not made yet.${nextAttemptAt === null ? null : html` It is due ${time(nextAttemptAt)}.`}</p>`,
    );
  }
  const shown = facts([
    ['Status', statusCode === null ? 'No response' : html`<code>${statusCode}</code>`],
    ['Error', error],
    ['Duration', durationWords(durationMs)],
    ['Next attempt', nextAttemptAt === null ? 'None' : time(nextAttemptAt)],
    ['Event id', html`<code>${eventId}</code>`],
  ]);
  const body =
    responseBody === null || responseBody === ''
      ? html`<p class="soft">It has no body.</p>`
      : html`<pre tabindex="0">${responseBody}</pre>`;
  return card('Response', html`${shown}<h3>Body</h3>${body}`);
}

/** The payload is JSON of ours; should it not be, it is shown as it is. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
