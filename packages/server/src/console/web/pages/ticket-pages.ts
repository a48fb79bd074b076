import { LIMITS, type Problem, TICKET_STATUS_NAMES, type Ticket } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { statusBadge, statusWords } from '../../../ui/components/badge.ts';
import { button, linkButton } from '../../../ui/components/button.ts';
import { facts } from '../../../ui/components/facts.ts';
import { faultOf, textArea, textField } from '../../../ui/components/field.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { card, emptyState, flushCard, notice, pager, tabs } from '../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../ui/components/table.ts';
import { time } from '../../../ui/components/time.ts';
import { type PageResult, type PageRoute, page, redirect } from '../console-page.ts';
import { problemNotice } from '../console-problems.ts';
import { queryOf, withQuery } from '../page-address.ts';
import type { PageForm } from '../page-form.ts';
import { texts } from '../page-query.ts';
import type { PageRequest } from '../page-request.ts';

const PATH = '/console/tickets';

export const TICKET_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: 'tickets.list', query: texts(['status', 'cursor']), run: list },
  {
    ...{ method: 'GET', path: `${PATH}/new`, needs: 'tickets.create' },
    ...{ query: texts(['subject', 'body', 'requestId', 'emailId']), run: async ({ query }) => newPage(query, null) },
  },
  { method: 'POST', path: `${PATH}/new`, needs: 'tickets.create', formBytes: LIMITS.ticketBodyBytes, run: create },
  { method: 'GET', path: `${PATH}/:id`, needs: 'tickets.get', run: (request) => show(request, null) },
  { method: 'POST', path: `${PATH}/:id`, needs: 'tickets.reply', formBytes: LIMITS.ticketBodyBytes, run: reply },
];

async function list(request: PageRequest): Promise<PageResult> {
  const given = queryOf(request.query, ['status', 'cursor']);
  const { tickets, total, nextCursor } = await request.call('tickets.list', { query: given });
  const columns: readonly Column<Ticket>[] = [
    {
      label: 'Ticket',
      kind: 'lead',
      cell: ({ number, subject }) =>
        html`<a class="row-link" href="${PATH}/${number}">${subject}</a> <span class="faint">#${number}</span>`,
    },
    { label: 'Status', cell: ({ status }) => statusBadge(status) },
    { label: 'Last message', cell: ({ messages, createdAt }) => lastMessage(messages.at(-1), createdAt) },
  ];
  const statuses = [undefined, ...TICKET_STATUS_NAMES].map((status) => ({
    label: status === undefined ? 'All' : statusWords(status),
    href: withQuery(PATH, { status }),
    isCurrent: given.status === status,
  }));
  const none = emptyState(
    'No tickets',
    'Ask the operator of this server, with the request or message that it is about.',
  );
  const rows = html`${table({ caption: 'Support tickets, newest first', columns, rows: tickets, idOf: ({ id }) => `ticket-${id}` })}
${pager(`${total.toLocaleString('en-US')} ${total === 1 ? 'ticket' : 'tickets'}`, nextCursor === null ? null : withQuery(PATH, { ...given, cursor: nextCursor }))}`;
  const actions = request.may('tickets.create')
    ? linkButton('New ticket', `${PATH}/new`, { kind: 'primary', key: 'n' })
    : null;
  return page({
    ...{ title: 'Support', section: 'tickets', watch: ['tickets'] },
    content: html`${pageHeader({ title: 'Support', lead: 'Questions to the people who run this server. Their replies are also mailed to you.', actions })}
${tabs('Status of tickets', statuses)}${flushCard(null, tickets.length === 0 ? none : rows)}`,
  });
}

function lastMessage(last: Ticket['messages'][number] | undefined, createdAt: string): Html {
  const who = last?.author === 'support' ? 'Support' : 'You';
  return html`<span class="faint">${who}, </span>${time(last?.createdAt ?? createdAt, 'age')}`;
}

function newPage(form: PageForm, problem: Problem | null): PageResult {
  const fault = (path: string) => faultOf(problem?.errors, path);
  const title = 'New ticket';
  return page({
    ...{ title, section: 'tickets', status: problem?.status ?? 200 },
    content: html`${pageHeader({ title, crumbs: [{ label: 'Support', href: PATH }] })}${problem === null ? null : problemNotice(problem)}
${card(
  'Your question',
  html`<form class="form" method="post" action="${PATH}/new" data-keep-typed>
${textField({ name: 'subject', label: 'Subject', value: form.get('subject'), isRequired: true, maxLength: LIMITS.ticketSubjectCharacters, fault: fault('subject') })}
${textArea({ name: 'body', label: 'What happened, and what did you expect?', value: form.get('body'), rows: 10, isRequired: true, maxLength: LIMITS.ticketBodyCharacters, fault: fault('body') })}
${textField({ name: 'requestId', label: 'Id of a request it is about', value: form.get('requestId'), fault: fault('requestId'), hint: 'Its entry in the request log is attached.' })}
${textField({ name: 'emailId', label: 'Id of a message it is about', value: form.get('emailId'), fault: fault('emailId'), hint: 'Its events are attached.' })}
<div class="actions">${button('Send', { kind: 'primary' })}${linkButton('Back', PATH, { kind: 'plain' })}</div></form>`,
)}`,
  });
}

async function create(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const requestId = form.text('requestId');
  const emailId = form.text('emailId');
  const result = await request.attempt('tickets.create', {
    body: {
      subject: form.text('subject') ?? '',
      body: form.get('body') ?? '',
      ...(requestId === undefined ? {} : { requestId }),
      ...(emailId === undefined ? {} : { emailId }),
    },
  });
  return result.ok
    ? redirect(`${PATH}/${result.body.number}`, 'Your question was sent.')
    : newPage(form, result.problem);
}

async function show(request: PageRequest, problem: Problem | null): Promise<PageResult> {
  const ticket = await request.call('tickets.get', { params: { id: request.param('id') } });
  const { number, subject, status, messages, createdAt } = ticket;
  const thread = messages.map(
    ({ author, body, createdAt: at }) =>
      html`<li class="${author === 'support' ? 'info' : ''}"><h3>${author === 'support' ? 'Support' : 'You'}</h3>${time(at)}<div class="ticket-text">${body}</div></li>`,
  );
  return page({
    ...{ title: `#${number} ${subject}`, section: 'tickets', status: problem?.status ?? 200, watch: ['tickets'] },
    content: html`${pageHeader({ title: subject, lead: html`${statusBadge(status)} Ticket ${number}, opened ${time(createdAt, 'age')}`, crumbs: [{ label: 'Support', href: PATH }] })}
${problem === null ? null : problemNotice(problem)}<div class="columns"><div class="stack">${card('Messages', html`<ol class="timeline">${thread}</ol>`)}${replyForm(request, ticket, problem)}</div>${context(request, ticket)}</div>`,
  });
}

function replyForm(request: PageRequest, { number, status }: Ticket, problem: Problem | null): Html {
  if (status === 'closed') return notice('info', 'This ticket is closed.', 'Open a new ticket if you need more help.');
  const hint = status === 'solved' ? 'A reply opens the ticket again.' : undefined;
  return card(
    'Reply',
    html`<form class="form" method="post" action="${PATH}/${number}" data-keep-typed>${textArea({ name: 'body', label: 'Your reply', value: request.form.get('body'), isRequired: true, maxLength: LIMITS.ticketBodyCharacters, fault: faultOf(problem?.errors, 'body'), ...(hint === undefined ? {} : { hint }) })}
<div class="actions">${button('Send the reply', { kind: 'primary' })}</div></form>`,
  );
}

/** What was attached: names and values as the server stored them. */
function context(request: PageRequest, { context: given }: Ticket): Html {
  const { requestId, emailId, ...others } = given;
  const rows = [
    [
      'Request',
      typeof requestId !== 'string'
        ? null
        : request.may('requests.get')
          ? html`<a href="/console/requests/${encodeURIComponent(requestId)}">${requestId}</a>`
          : html`<code>${requestId}</code>`,
    ],
    [
      'Message',
      typeof emailId === 'string'
        ? html`<a href="/console/messages/${encodeURIComponent(emailId)}">Open the message</a>`
        : null,
    ],
  ] as const;
  const rest = Object.entries(others).filter(([, value]) => value !== null);
  if (rest.length === 0 && requestId === undefined && emailId === undefined)
    return card('Attached', html`<p class="faint">Nothing was attached.</p>`);
  const more = rest.map(
    ([name, value]) =>
      html`<details class="more"><summary>${name}</summary><pre>${JSON.stringify(value, null, 2)}</pre></details>`,
  );
  return card('Attached', html`${facts([...rows])}${more}`);
}

async function reply(request: PageRequest): Promise<PageResult> {
  const result = await request.attempt('tickets.reply', {
    params: { id: request.param('id') },
    body: { body: request.form.get('body') ?? '' },
  });
  return result.ok
    ? redirect(`${PATH}/${result.body.number}`, 'Your reply was sent.')
    : await show(request, result.problem);
}
