import { html } from '../../../../html/page-markup.ts';
import { button, linkButton } from '../../../../ui/components/button.ts';
import { select } from '../../../../ui/components/field.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { flushCard, pager } from '../../../../ui/components/surfaces.ts';
import { type PageResult, page } from '../../console-page.ts';
import { queryOf, withQuery } from '../../page-address.ts';
import { texts } from '../../page-query.ts';
import type { PageRequest } from '../../page-request.ts';
import { deliveriesTable } from './deliveries-table.ts';
import { EVENT_OPTIONS } from './event-choice.ts';
import { endpointPath, WEBHOOKS_PATH } from './paths.ts';

const STATUSES = [
  { value: '', label: 'Any status' },
  { value: 'succeeded', label: 'Succeeded' },
  { value: 'failed', label: 'Failed' },
  { value: 'pending', label: 'Pending' },
];

const FILTERS = ['event_type', 'status', 'event_id', 'cursor'] as const;

export const DELIVERIES_QUERY = texts(FILTERS);

export async function deliveriesPage(request: PageRequest): Promise<PageResult> {
  const params = { id: request.param('id') };
  const filters = queryOf(request.query, FILTERS);
  const [endpoint, { deliveries, total, nextCursor }] = await Promise.all([
    request.call('webhooks.get', { params }),
    request.call('webhooks.deliveries', { params, query: filters }),
  ]);
  const path = endpointPath(endpoint);
  const here = `${path}/deliveries`;
  const title = 'Deliveries';
  const eventId = filters['event_id'];
  const ofOne =
    eventId === undefined
      ? null
      : html`<div class="chips"><span class="chip">One event</span><input type="hidden" name="event_id" value="${eventId}">${linkButton('Show all events', here, { isSmall: true, kind: 'plain' })}</div>`;
  const rows = deliveriesTable(endpoint, deliveries, 'No delivery matches', 'Change the filter, or wait for an event.');
  return page({
    ...{ title, section: 'webhooks', watch: ['webhooks'] },
    content: html`${pageHeader({
      ...{ title, lead: html`Every attempt, kept for 30 days by default. <span class="live">Live</span>` },
      crumbs: [
        { label: 'Webhooks', href: WEBHOOKS_PATH },
        { label: endpoint.description ?? endpoint.url, href: path },
      ],
    })}
<form class="filters" method="get" action="${here}" role="search">${select({ name: 'event_type', label: 'Event', value: filters['event_type'] ?? '', options: [{ value: '', label: 'Any event' }, ...EVENT_OPTIONS] })}
${select({ name: 'status', label: 'Status', value: filters['status'] ?? '', options: STATUSES })}${button('Filter')}${ofOne}</form>
${flushCard(null, html`${rows}${pager(total === 1 ? '1 attempt' : `${total.toLocaleString('en-US')} attempts`, nextCursor === null ? null : withQuery(here, { ...filters, cursor: nextCursor }))}`)}`,
  });
}
