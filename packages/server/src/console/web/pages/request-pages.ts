import type { findOperation, OperationOutput } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { badge, type Tone } from '../../../ui/components/badge.ts';
import { button, linkButton } from '../../../ui/components/button.ts';
import { facts } from '../../../ui/components/facts.ts';
import { textField } from '../../../ui/components/field.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { card, copyable, emptyState, flushCard, pager } from '../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../ui/components/table.ts';
import { time } from '../../../ui/components/time.ts';
import { type ActorNames, readActorNames } from '../actor-names.ts';
import { type PageResult, type PageRoute, page, redirect } from '../console-page.ts';
import { queryOf, withQuery } from '../page-address.ts';
import { texts } from '../page-query.ts';
import type { PageRequest } from '../page-request.ts';

const PATH = '/console/requests';

export const REQUEST_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: 'requests.list', query: texts(['id', 'cursor']), run: list },
  { method: 'GET', path: `${PATH}/:id`, needs: 'requests.get', run: show },
];

type Logged = OperationOutput<ReturnType<typeof findOperation<'requests.get'>>>;

async function list(request: PageRequest): Promise<PageResult> {
  const id = request.query.text('id');
  if (id !== undefined) return redirect(`${PATH}/${encodeURIComponent(id)}`);
  const given = queryOf(request.query, ['cursor']);
  const [{ requests, total, nextCursor }, names] = await Promise.all([
    request.call('requests.list', { query: given }),
    readActorNames(request),
  ]);
  const columns: readonly Column<Logged>[] = [
    {
      label: 'Request',
      kind: 'lead',
      cell: ({ id: requestId, method, path }) =>
        html`<a class="row-link" href="${PATH}/${encodeURIComponent(requestId)}"><code>${method} ${path}</code></a>`,
    },
    { label: 'Response', cell: (logged) => html`<div class="least">${outcome(logged)}</div>` },
    { label: 'By', cell: ({ keyId }) => html`<div class="least">${caller(keyId, names)}</div>` },
    { label: 'Duration', kind: 'number', cell: ({ durationMs }) => `${durationMs.toLocaleString('en-US')} ms` },
    { label: 'When', cell: ({ createdAt }) => time(createdAt) },
  ];
  const rows = html`${table({ caption: 'Requests, newest first', columns, rows: requests })}
${pager(`${total.toLocaleString('en-US')} requests`, nextCursor === null ? null : withQuery(PATH, { cursor: nextCursor }))}`;
  const none = emptyState('No requests yet', 'Requests of your keys and users appear here for 30 days.');
  return page({
    ...{ title: 'Requests', section: 'requests' },
    content: html`${pageHeader({ title: 'Requests', lead: 'Every request with a key or a session of this account. Each response carries its id in the x-request-id header.' })}
<form class="filters" method="get" action="${PATH}" role="search"><div class="grow">${textField({ name: 'id', label: 'Find a request by its id', type: 'search' })}</div>${button('Find')}</form>
${flushCard(null, requests.length === 0 ? none : rows)}`,
  });
}

async function show(request: PageRequest): Promise<PageResult> {
  const [logged, names] = await Promise.all([
    request.call('requests.get', { params: { id: request.param('id') } }),
    readActorNames(request),
  ]);
  const { id, method, path, durationMs, keyId, emailId, createdAt, code } = logged;
  const ask = request.may('tickets.create')
    ? linkButton('Ask support about it', withQuery('/console/tickets/new', { requestId: id }))
    : null;
  return page({
    ...{ title: `${method} ${path}`, section: 'requests' },
    content: html`${pageHeader({ title: html`<code>${method} ${path}</code>`, crumbs: [{ label: 'Requests', href: PATH }], actions: ask })}
${card(
  'Request',
  facts([
    ['Id', copyable(id, 'Copy the id of the request')],
    ['Response', outcome(logged)],
    ['Error', code === null ? null : html`<a href="/reference#error-${code}">${code.replaceAll('_', ' ')}</a>`],
    ['Duration', `${durationMs.toLocaleString('en-US')} ms`],
    ['By', caller(keyId, names)],
    ['Message', emailId === null ? null : html`<a href="/console/messages/${emailId}">Open the message</a>`],
    ['When', time(createdAt)],
  ]),
)}`,
  });
}

function outcome({ status, code }: Logged): Html {
  return html`${badge(String(status), toneOf(status))}${code === null ? null : html` <span class="small faint">${code.replaceAll('_', ' ')}</span>`}`;
}

function toneOf(status: number): Tone {
  if (status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'good';
}

function caller(keyId: string | null, names: ActorNames): Html {
  if (keyId === null) return html`<span class="faint">A user</span>`;
  const known = names.get(keyId);
  return html`<a href="/console/keys/${keyId}">${known?.name ?? 'A key'}</a>`;
}
