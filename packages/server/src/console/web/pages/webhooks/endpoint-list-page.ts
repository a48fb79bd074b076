import type { Webhook } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { badge, statusBadge } from '../../../../ui/components/badge.ts';
import { linkButton } from '../../../../ui/components/button.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { emptyState, flushCard, pager } from '../../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../../ui/components/table.ts';
import { time } from '../../../../ui/components/time.ts';
import { type PageResult, page } from '../../console-page.ts';
import { queryOf, withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { endpointPath, WEBHOOKS_PATH } from './paths.ts';

export async function listPage(request: PageRequest): Promise<PageResult> {
  const given = queryOf(request.query, ['cursor']);
  const { webhooks, total, nextCursor } = await request.call('webhooks.list', { query: given });
  const createLink = request.may('webhooks.create')
    ? linkButton('Add an endpoint', `${WEBHOOKS_PATH}/create`, { kind: 'primary', key: 'n' })
    : null;
  const count = total === 1 ? '1 endpoint' : `${total.toLocaleString('en-US')} endpoints`;
  const rows = html`${table({ caption: 'Webhook endpoints', columns: COLUMNS, rows: webhooks, idOf: ({ id }) => `endpoint-${id}`, rowAttributes: () => ({ 'data-row': true }) })}
${pager(count, nextCursor === null ? null : withQuery(WEBHOOKS_PATH, { cursor: nextCursor }))}`;
  const none = emptyState(
    'No endpoints yet',
    'An endpoint is a URL of yours that receives events: what was delivered, what bounced, what waits for approval.',
    createLink,
  );
  return page({
    ...{ title: 'Webhooks', section: 'webhooks', watch: ['webhooks'] },
    content: html`${pageHeader({ title: 'Webhooks', lead: html`URLs that receive the events of this account. <span class="live">Live</span>`, actions: createLink })}
${flushCard(null, webhooks.length === 0 ? none : rows)}`,
  });
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    label: 'Endpoint',
    kind: 'lead',
    cell: ({ url, description, ...endpoint }) =>
      html`<a class="row-link" href="${endpointPath(endpoint)}">${url}</a>${description === null ? null : html`<br><span class="soft">${description}</span>`}`,
  },
  { label: 'Events', cell: ({ events }) => (events.length === 0 ? 'All' : eventSummary(events)) },
  { label: 'Status', cell: endpointBadge },
  { label: 'Added', cell: ({ createdAt }) => time(createdAt, 'day') },
];

/** What an endpoint does now: a failing one is still enabled. */
export function endpointBadge({ status, failingSince }: Webhook): Html {
  if (status === 'disabled' || failingSince === null) return statusBadge(status);
  return html`${badge('Failing', 'bad')} <span class="small faint">since ${time(failingSince)}</span>`;
}

function eventSummary(events: readonly string[]): Html {
  const rest = events.length - 2;
  return html`${events.slice(0, 2).map((type) => html`<code class="tag">${type}</code> `)}${rest > 0 ? html`<span class="faint small">and ${rest} more</span>` : null}`;
}
