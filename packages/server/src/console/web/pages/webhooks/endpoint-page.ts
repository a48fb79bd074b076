import { LIMITS, type Problem, type Webhook } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { button, linkButton } from '../../../../ui/components/button.ts';
import { facts } from '../../../../ui/components/facts.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { card, confirmation, flushCard, notice } from '../../../../ui/components/surfaces.ts';
import { time } from '../../../../ui/components/time.ts';
import { type PageResult, page } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import type { PageRequest } from '../../page-request.ts';
import { deliveriesTable } from './deliveries-table.ts';
import { endpointBadge } from './endpoint-list-page.ts';
import { eventWords } from './event-choice.ts';
import { endpointPath, WEBHOOKS_PATH } from './paths.ts';

/** An endpoint with its newest deliveries. */
export async function endpointPage(request: PageRequest, problem: Problem | null = null): Promise<PageResult> {
  const params = { id: request.param('id') };
  const [endpoint, { deliveries }] = await Promise.all([
    request.call('webhooks.get', { params }),
    request.call('webhooks.deliveries', { params, query: { limit: '10' } }),
  ]);
  const { url, description } = endpoint;
  const path = endpointPath(endpoint);
  const all = linkButton('All deliveries', `${path}/deliveries`, { isSmall: true, key: 'd' });
  return page({
    ...{ title: description ?? url, section: 'webhooks', status: problem?.status ?? 200, watch: ['webhooks'] },
    content: html`${pageHeader({ title: description ?? url, lead: html`${endpointBadge(endpoint)} <span class="live">Live</span>`, crumbs: [{ label: 'Webhooks', href: WEBHOOKS_PATH }], actions: actions(request, endpoint) })}
${problem === null ? null : problemNotice(problem)}${stateNotice(endpoint)}
${flushCard('Newest deliveries', deliveriesTable(endpoint, deliveries, 'Nothing was delivered yet', 'Events appear here when they happen. A test event shows whether the endpoint works.'), { actions: all })}
${factsCard(endpoint)}`,
  });
}

const DISABLED_WORDS: Readonly<Record<NonNullable<Webhook['disabledReason']>, string>> = {
  manual: 'A user or a key disabled it.',
  gone: 'It responded with 410, which asks for no more deliveries.',
  failing: `All deliveries to it failed for ${LIMITS.webhookFailingDays} days.`,
};

function stateNotice({ status, disabledReason, failingSince }: Webhook): Html | null {
  if (status === 'disabled') {
    const why = disabledReason === null ? null : DISABLED_WORDS[disabledReason];
    return notice(
      'warn',
      'The endpoint is disabled and receives nothing.',
      html`${why} Events are still stored: enable it, then replay them.`,
    );
  }
  if (failingSince === null) return null;
  return notice(
    'warn',
    'Deliveries fail.',
    html`Since ${time(failingSince)}. After ${LIMITS.webhookFailingDays} days of failures only, the endpoint is disabled.`,
  );
}

function factsCard({ id, url, events, createdAt }: Webhook): Html {
  return card(
    'About this endpoint',
    facts([
      ['URL', html`<code>${url}</code>`],
      [
        'Events',
        events.length === 0
          ? 'All'
          : html`<ul class="bullets">${events.map((type) => html`<li>${eventWords(type)}</li>`)}</ul>`,
      ],
      ['Added', time(createdAt)],
      ['Id', html`<code>${id}</code>`],
    ]),
  );
}

function actions(request: PageRequest, endpoint: Webhook): Html {
  const path = endpointPath(endpoint);
  const isEnabled = endpoint.status === 'enabled';
  const test =
    isEnabled && request.may('webhooks.test')
      ? html`<form method="post" action="${path}/test">${button('Send a test event', { key: 't' })}</form>`
      : null;
  const replay = isEnabled && request.may('webhooks.replay') ? linkButton('Replay events', `${path}/replay`) : null;
  const edit = request.may('webhooks.update')
    ? linkButton('Change', `${path}/edit`, { kind: 'primary', key: 'e' })
    : null;
  return html`${test}${replay}${moreActions(request, endpoint)}${edit}`;
}

function moreActions(request: PageRequest, endpoint: Webhook): Html | null {
  const path = endpointPath(endpoint);
  const parts = [
    request.may('webhooks.update') ? statusForm(path, endpoint) : null,
    request.may('webhooks.rotate')
      ? html`<form class="stack-tight" method="post" action="${path}/rotate"><strong>New signing secret</strong><p class="small">For ${LIMITS.webhookSecretGraceHours} hours, deliveries have a signature of each secret.</p>${button('Rotate the secret')}</form>`
      : null,
    request.may('webhooks.delete')
      ? html`<form class="stack-tight" method="post" action="${path}/delete"><strong>Delete</strong><p class="small">The endpoint is deleted with its list of deliveries. Waiting events are not delivered.</p>${button('Delete the endpoint', { kind: 'danger' })}</form>`
      : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : confirmation('More', html`${parts}`, { isDanger: false });
}

function statusForm(path: string, { status }: Webhook): Html {
  return status === 'enabled'
    ? html`<form class="stack-tight" method="post" action="${path}/status"><strong>Disable</strong><p class="small">It receives nothing, and waiting deliveries are dropped.</p>${button('Disable', { name: 'status', value: 'disabled' })}</form>`
    : html`<form class="stack-tight" method="post" action="${path}/status"><strong>Enable</strong><p class="small">It receives events from now on.</p>${button('Enable', { name: 'status', value: 'enabled' })}</form>`;
}
