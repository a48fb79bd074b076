import type { AuditEntry } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { button, linkButton } from '../../../ui/components/button.ts';
import { facts } from '../../../ui/components/facts.ts';
import { textField } from '../../../ui/components/field.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { emptyState, flushCard, pager } from '../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../ui/components/table.ts';
import { time } from '../../../ui/components/time.ts';
import { type ActorNames, readActorNames } from '../actor-names.ts';
import { type PageResult, type PageRoute, page } from '../console-page.ts';
import { dayEnd, dayStart } from '../day-bounds.ts';
import { queryOf, withQuery } from '../page-address.ts';
import { texts } from '../page-query.ts';
import type { PageRequest } from '../page-request.ts';

const PATH = '/console/audit';
const FILTERS = ['action', 'actor', 'target_id', 'from', 'to'] as const;

export const AUDIT_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: 'audit.list', query: texts([...FILTERS, 'cursor']), run: list },
];

async function list(request: PageRequest): Promise<PageResult> {
  const given = queryOf(request.query, [...FILTERS, 'cursor']);
  const { from, to, ...rest } = given;
  const query = {
    ...rest,
    ...(from === undefined ? {} : { from: dayStart(from) }),
    ...(to === undefined ? {} : { to: dayEnd(to) }),
  };
  const [{ entries, total, nextCursor }, names] = await Promise.all([
    request.call('audit.list', { query }),
    readActorNames(request),
  ]);
  const columns: readonly Column<AuditEntry>[] = [
    {
      label: 'What',
      kind: 'lead',
      cell: ({ action }) => html`<a class="row-link" href="${withQuery(PATH, { action })}">${actionWords(action)}</a>`,
    },
    { label: 'Who', cell: ({ actor }) => actorLink(actor, names) },
    {
      label: 'What it concerns',
      cell: ({ targetId }) =>
        targetId === null ? html`<span class="faint">the account</span>` : target(targetId, names),
    },
    { label: 'Details', cell: details },
    { label: 'When', cell: ({ createdAt }) => time(createdAt) },
  ];
  const rows = html`${table({ caption: 'Audit log, newest first', columns, rows: entries, idOf: ({ id }) => `entry-${id}` })}
${pager(`${total.toLocaleString('en-US')} ${total === 1 ? 'entry' : 'entries'}`, nextCursor === null ? null : withQuery(PATH, { ...given, cursor: nextCursor }))}`;
  return page({
    ...{ title: 'Audit log', section: 'audit' },
    content: html`${pageHeader({ title: 'Audit log', lead: 'Who changed what in this account. Entries cannot be changed, and each contains the hash of the one before it.' })}
${filterForm(given)}${flushCard(null, entries.length === 0 ? emptyState('No entry matches', 'Change the filter to see other entries.', linkButton('Show all', PATH)) : rows)}`,
  });
}

/** `suppression.removed` reads "Suppression removed". */
function actionWords(action: string): string {
  const words = action.replaceAll(/[._]/g, ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function actorLink(actor: string, names: ActorNames): Html {
  const known = names.get(actor);
  return html`<a href="${withQuery(PATH, { actor })}" title="${actor}">${known?.name ?? shortId(actor)}</a>`;
}

function target(id: string, names: ActorNames): Html {
  const known = names.get(id);
  return html`<a href="${withQuery(PATH, { target_id: id })}" title="${id}">${known?.name ?? shortId(id)}</a>`;
}

function shortId(id: string): Html {
  return html`<code>${id.length > 13 ? `…${id.slice(-12)}` : id}</code>`;
}

function details({ seq, hash, details: given, id }: AuditEntry): Html {
  const rows = Object.entries(given).map(([name, value]) => [name, asText(value)] as const);
  return html`<details class="more"><summary>Entry ${seq}</summary>${facts([...rows, ['Id', html`<code>${id}</code>`], ['Hash', html`<code>${hash}</code>`]])}</details>`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function filterForm(given: Readonly<Partial<Record<(typeof FILTERS)[number] | 'cursor', string>>>): Html {
  return html`<form class="filters" method="get" action="${PATH}" role="search">
<div class="grow">${textField({ name: 'action', label: 'Kind of change', type: 'search', value: given.action ?? '', placeholder: 'key, domain.verified, …' })}</div>
${textField({ name: 'from', label: 'From (UTC day)', type: 'date', value: given.from ?? '' })}${textField({ name: 'to', label: 'Until (UTC day)', type: 'date', value: given.to ?? '' })}
${given.actor === undefined ? null : html`<input type="hidden" name="actor" value="${given.actor}">`}${given.target_id === undefined ? null : html`<input type="hidden" name="target_id" value="${given.target_id}">`}
${button('Filter')}${Object.keys(given).length === 0 ? null : linkButton('Clear', PATH, { kind: 'plain' })}</form>`;
}
