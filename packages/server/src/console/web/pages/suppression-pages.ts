import { LIMITS, type Problem, type Suppression } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { badge } from '../../../ui/components/badge.ts';
import { button, linkButton } from '../../../ui/components/button.ts';
import { checkbox, faultOf, select, textArea, textField } from '../../../ui/components/field.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { card, confirmation, emptyState, flushCard, pager } from '../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../ui/components/table.ts';
import { time } from '../../../ui/components/time.ts';
import { type PageResult, type PageRoute, page, redirect } from '../console-page.ts';
import { problemNotice } from '../console-problems.ts';
import { queryOf, withQuery } from '../page-address.ts';
import type { PageForm } from '../page-form.ts';
import { texts } from '../page-query.ts';
import type { PageRequest } from '../page-request.ts';

const PATH = '/console/suppressions';

export const SUPPRESSION_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: 'suppressions.list', query: texts(['q', 'reason', 'cursor']), run: list },
  {
    method: 'GET',
    path: `${PATH}/add`,
    needs: 'suppressions.create',
    query: texts(['emails', 'note', 'complaint']),
    run: async (request) => addPage(request.query, null),
  },
  {
    method: 'POST',
    path: `${PATH}/add`,
    needs: 'suppressions.create',
    formBytes: LIMITS.suppressionBodyBytes,
    run: add,
  },
  { method: 'POST', path: `${PATH}/:id/remove`, needs: 'suppressions.delete', run: remove },
];

const REASONS: Readonly<Record<Suppression['reason'], string>> = {
  hard_bounce: 'Hard bounce',
  complaint: 'Complaint',
  unsubscribe: 'Unsubscribed',
  manual: 'Added by hand',
};

async function list(request: PageRequest): Promise<PageResult> {
  const filters = queryOf(request.query, ['q', 'reason', 'cursor']);
  const found = await request.call('suppressions.list', { query: filters });
  const { suppressions, total, nextCursor } = found;
  const isFiltered = filters['q'] !== undefined || filters['reason'] !== undefined;
  const columns: readonly Column<Suppression>[] = [
    { label: 'Address', kind: 'lead', cell: ({ email }) => html`<span class="strong">${email}</span>` },
    { label: 'Reason', cell: ({ reason }) => badge(REASONS[reason], reason === 'complaint' ? 'bad' : 'neutral') },
    {
      label: 'Note',
      cell: ({ note, emailId }) =>
        html`${note}${emailId === null ? null : html` <a href="/console/messages/${emailId}">Message</a>`}`,
    },
    {
      label: 'Added',
      cell: ({ createdAt, expiresAt }) =>
        html`${time(createdAt)}${expiresAt === null ? null : html`<br><small class="faint">until ${time(expiresAt)}</small>`}`,
    },
    ...(request.may('suppressions.delete') ? [{ label: 'Actions', isLabelUnseen: true, cell: removal }] : []),
  ];
  const add = request.may('suppressions.create')
    ? linkButton('Add addresses', `${PATH}/add`, { kind: 'primary', key: 'n' })
    : null;
  const content =
    suppressions.length === 0
      ? nothing(isFiltered)
      : html`${table({ caption: 'Suppressed addresses', columns, rows: suppressions, idOf: ({ id }) => `suppression-${id}` })}
${pager(total === 1 ? '1 address' : `${total.toLocaleString('en-US')} addresses`, nextCursor === null ? null : withQuery(PATH, { ...filters, cursor: nextCursor }))}`;
  return page({
    ...{ title: 'Suppressions', section: 'suppressions' },
    content: html`${pageHeader({ title: 'Suppressions', lead: 'Nothing is sent to these addresses. Hard bounces, complaints and unsubscribes are added automatically.', actions: add })}
${filterForm(filters)}${flushCard(null, content)}`,
  });
}

function filterForm(filters: Readonly<Partial<Record<string, string>>>): Html {
  const reasons = Object.entries(REASONS).map(([value, label]) => ({ value, label }));
  return html`<form class="filters" method="get" action="${PATH}" role="search">
<div class="grow">${textField({ name: 'q', label: 'Address contains', type: 'search', value: filters['q'] ?? '', maxLength: LIMITS.searchCharactersMax })}</div>
${select({ name: 'reason', label: 'Reason', value: filters['reason'] ?? '', options: [{ value: '', label: 'Any reason' }, ...reasons] })}${button('Filter')}</form>`;
}

function nothing(isFiltered: boolean): Html {
  return isFiltered
    ? emptyState(
        'No address matches',
        'Change the filter, or show all suppressed addresses.',
        linkButton('Show all', PATH),
      )
    : emptyState(
        'No suppressed addresses',
        'Addresses appear here after a hard bounce, a complaint or an unsubscribe, or when you add them.',
      );
}

function removal({ id, email, reason }: Suppression): Html {
  const warning =
    reason === 'manual'
      ? null
      : html`<p class="small">It was added because of a ${REASONS[reason].toLowerCase()}. Remove it only if the recipient wants mail again.</p>`;
  return confirmation(
    'Remove',
    html`<form method="post" action="${PATH}/${id}/remove" class="stack-tight"><p>Mail to <b>${email}</b> will be sent again.</p>${warning}
${textField({ name: 'note', id: `note-${id}`, label: 'Why, for the audit log', maxLength: LIMITS.noteCharacters })}${button('Remove from the list', { kind: 'danger' })}</form>`,
  );
}

function addPage(form: PageForm, problem: Problem | null): PageResult {
  const title = 'Add suppressed addresses';
  const fault = (path: string) => faultOf(problem?.errors, path);
  return page({
    ...{ title, section: 'suppressions', status: problem?.status ?? 200 },
    content: html`${pageHeader({ title, crumbs: [{ label: 'Suppressions', href: PATH }] })}
${problem === null ? null : problemNotice(problem)}${card(
  'Addresses',
  html`<form class="form" method="post" action="${PATH}/add">
${textArea({ name: 'emails', label: 'Addresses', value: form.get('emails'), rows: 6, isRequired: true, fault: fault('emails'), hint: `One on each line, or separated by commas; at most ${LIMITS.suppressionsPerCall.toLocaleString('en-US')}.` })}
${textField({ name: 'note', label: 'Note', value: form.get('note'), maxLength: LIMITS.noteCharacters, fault: fault('note'), hint: 'For users who read the list later.' })}
${checkbox({ name: 'complaint', label: 'These recipients complained', hint: 'Otherwise the reason is “added by hand”.', isChecked: form.has('complaint') })}
<div class="actions">${button('Add to the list', { kind: 'primary' })}${linkButton('Back', PATH, { kind: 'plain' })}</div></form>`,
)}`,
  });
}

async function add(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const note = form.text('note');
  const result = await request.attempt('suppressions.create', {
    body: {
      emails: [...form.list('emails')],
      reason: form.has('complaint') ? 'complaint' : 'manual',
      ...(note === undefined ? {} : { note }),
    },
  });
  if (!result.ok) return addPage(form, result.problem);
  const added = 'added' in result.body ? result.body.added : 1;
  return redirect(
    PATH,
    added === 1 ? '1 address was added to the list.' : `${added} addresses were added to the list.`,
  );
}

async function remove(request: PageRequest): Promise<PageResult> {
  const note = request.form.text('note');
  const removed = await request.call('suppressions.delete', {
    params: { id: request.param('id') },
    query: note === undefined ? {} : { note },
  });
  return redirect(PATH, `${removed.email} was removed from the list.`);
}
