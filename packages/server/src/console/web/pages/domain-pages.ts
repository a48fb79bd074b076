import type { Domain, DomainStatus, Problem } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { statusBadge } from '../../../ui/components/badge.ts';
import { button, linkButton } from '../../../ui/components/button.ts';
import { facts } from '../../../ui/components/facts.ts';
import { faultOf, textField } from '../../../ui/components/field.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { card, confirmation, emptyState, flushCard, notice, pager } from '../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../ui/components/table.ts';
import { time } from '../../../ui/components/time.ts';
import { type PageResult, type PageRoute, page, redirect } from '../console-page.ts';
import { problemNotice } from '../console-problems.ts';
import { queryOf, withQuery } from '../page-address.ts';
import type { PageForm } from '../page-form.ts';
import { texts } from '../page-query.ts';
import type { PageRequest } from '../page-request.ts';
import { recordCards, zoneFileCard } from './domain-records.ts';

const PATH = '/console/domains';

export const DOMAIN_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: 'domains.list', query: texts(['cursor']), run: list },
  {
    ...{ method: 'GET', path: `${PATH}/add`, needs: 'domains.create' },
    ...{ query: texts(['name', 'dkimSelector', 'returnPath']), run: async ({ query }) => addPage(query, null) },
  },
  { method: 'POST', path: `${PATH}/add`, needs: 'domains.create', run: add },
  {
    ...{ method: 'GET', path: `${PATH}/removed`, needs: 'domains.history', query: texts(['cursor']) },
    run: (request) => removedPage(request, null),
  },
  { method: 'GET', path: `${PATH}/:id`, needs: 'domains.get', run: (request) => show(request, null) },
  { method: 'POST', path: `${PATH}/:id/verify`, needs: 'domains.verify', run: verify },
  { method: 'POST', path: `${PATH}/:id/remove`, needs: 'domains.delete', run: remove },
  { method: 'POST', path: `${PATH}/:id/restore`, needs: 'domains.restore', run: restore },
  { method: 'POST', path: `${PATH}/:id/rotate`, needs: 'domains.rotate', run: rotate },
];

async function list(request: PageRequest): Promise<PageResult> {
  const given = queryOf(request.query, ['cursor']);
  const { domains, total, nextCursor } = await request.call('domains.list', { query: given });
  const columns: readonly Column<(typeof domains)[number]>[] = [
    {
      label: 'Domain',
      kind: 'lead',
      cell: ({ id, name }) => html`<a class="row-link" href="${PATH}/${id}">${name}</a>`,
    },
    { label: 'Status', cell: ({ status }) => statusBadge(status) },
    {
      label: 'Checked',
      cell: ({ lastCheckedAt }) =>
        lastCheckedAt === null ? html`<span class="faint">not yet</span>` : time(lastCheckedAt, 'age'),
    },
    { label: 'Added', cell: ({ createdAt }) => time(createdAt, 'day') },
  ];
  const rows = html`${table({ caption: 'Sending domains', columns, rows: domains, idOf: ({ id }) => `domain-${id}` })}
${pager(total === 1 ? '1 domain' : `${total} domains`, nextCursor === null ? null : withQuery(PATH, { cursor: nextCursor }))}`;
  const addLink = request.may('domains.create')
    ? linkButton('Add a domain', `${PATH}/add`, { kind: 'primary', key: 'n' })
    : null;
  const none = emptyState(
    'No domains yet',
    'Mail to real recipients is sent from a domain of yours. Add it, publish its DNS records, and verify it.',
    addLink,
  );
  return page({
    ...{ title: 'Domains', section: 'domains', watch: ['domains'] },
    content: html`${pageHeader({
      ...{
        title: 'Domains',
        lead: 'The domains that your mail is sent from. Their DNS records are checked automatically until they are found.',
      },
      actions: html`${linkButton('Removed domains', `${PATH}/removed`, { kind: 'plain' })}${addLink}`,
    })}${flushCard(null, domains.length === 0 ? none : rows)}`,
  });
}

function addPage(form: PageForm, problem: Problem | null): PageResult {
  const title = 'Add a domain';
  const fault = (path: string) => faultOf(problem?.errors, path);
  return page({
    ...{ title, section: 'domains', status: problem?.status ?? 200 },
    content: html`${pageHeader({ title, crumbs: [{ label: 'Domains', href: PATH }] })}${problem === null ? null : problemNotice(problem)}
${card(
  'Domain',
  html`<form class="form" method="post" action="${PATH}/add">
${textField({ name: 'name', label: 'Domain name', value: form.get('name'), isRequired: true, placeholder: 'mail.example.com', fault: fault('name'), hint: 'The part after the @ in your sender addresses. A subdomain such as mail.example.com keeps its reputation apart from your other mail.' })}
<details class="more"><summary>More settings</summary><div class="stack">
${textField({ name: 'dkimSelector', label: 'DKIM selector', value: form.get('dkimSelector'), fault: fault('dkimSelector'), hint: 'A name for the key in DNS. Leave it empty for the default.' })}
${textField({ name: 'returnPath', label: 'Return path', value: form.get('returnPath'), fault: fault('returnPath'), hint: 'The subdomain that bounces are sent to. Leave it empty for the default.' })}</div></details>
<div class="actions">${button('Add the domain', { kind: 'primary' })}${linkButton('Back', PATH, { kind: 'plain' })}</div></form>`,
)}`,
  });
}

async function add(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const given = queryOf(form, ['dkimSelector', 'returnPath']);
  const result = await request.attempt('domains.create', { body: { name: form.text('name') ?? '', ...given } });
  return result.ok
    ? redirect(`${PATH}/${result.body.id}`, `${result.body.name} was added. Publish the records below.`)
    : addPage(form, result.problem);
}

const STATUS_WORDS: Readonly<Record<DomainStatus, string>> = {
  pending:
    'Publish the records below at your DNS host. They are checked automatically. Press Verify now to check them immediately.',
  verified: 'Mail can be sent from this domain.',
  degraded: 'A required record is missing. Mail is still sent for a limited time: publish the record again.',
  failed: 'The records were not found in time. Publish them, and press Verify now to start again.',
  removed: 'This domain was removed.',
};

async function show(request: PageRequest, problem: Problem | null): Promise<PageResult> {
  const domain = await request.call('domains.get', { params: { id: request.param('id') } });
  const { id, name, status, statusReason, records } = domain;
  const verifyForm = request.may('domains.verify')
    ? html`<form method="post" action="${PATH}/${id}/verify">${button('Verify now', { kind: status === 'verified' ? 'ordinary' : 'primary', key: 'v' })}</form>`
    : null;
  const tone = status === 'verified' ? 'good' : status === 'pending' ? 'info' : 'warn';
  return page({
    ...{ title: name, section: 'domains', status: problem?.status ?? 200, watch: ['domains'] },
    content: html`${pageHeader({ title: name, lead: html`${statusBadge(status)} <span class="live">Live</span>`, crumbs: [{ label: 'Domains', href: PATH }], actions: html`${verifyForm}${moreActions(request, domain)}` })}
${problem === null ? null : problemNotice(problem)}${notice(tone, statusReason ?? STATUS_WORDS[status], statusReason === null ? undefined : STATUS_WORDS[status])}
${recordCards(records)}<div class="halves">${zoneFileCard(name, records)}${factsCard(domain)}</div>`,
  });
}

function factsCard({ dkimSelector, createdAt, verifiedAt, lastCheckedAt, id }: Domain): Html {
  return card(
    'About this domain',
    facts([
      ['Verified', verifiedAt === null ? 'Not yet' : time(verifiedAt)],
      ['Records checked', lastCheckedAt === null ? 'Not yet' : time(lastCheckedAt, 'age')],
      ['DKIM selector', html`<code>${dkimSelector}</code>`],
      ['Added', time(createdAt)],
      ['Id', html`<code>${id}</code>`],
    ]),
  );
}

function moreActions(request: PageRequest, { id, name }: Domain): Html {
  const rotation = request.may('domains.rotate')
    ? html`<form class="stack-tight" method="post" action="${PATH}/${id}/rotate"><strong>New DKIM key</strong><p class="small">Creates a new key. Mail is signed with the old one until the record of the new one is found.</p>${button('Create a new key')}</form>`
    : null;
  const removal = request.may('domains.delete')
    ? html`<form class="stack-tight" method="post" action="${PATH}/${id}/remove"><strong>Remove the domain</strong><p class="small">Sends from ${name} are refused. Its keys are kept, so that you can restore it.</p>${button('Remove', { kind: 'danger' })}</form>`
    : null;
  if (rotation === null && removal === null) return html``;
  return confirmation('More', html`${rotation}${removal}`, { isDanger: false });
}

async function verify(request: PageRequest): Promise<PageResult> {
  const result = await request.attempt('domains.verify', { params: { id: request.param('id') } });
  if (!result.ok) return await show(request, result.problem);
  const { id, status, records } = result.body;
  const missing = records.filter((record) => record.required && record.status !== 'pass').length;
  const said =
    status === 'verified'
      ? 'Verified: all required records were found.'
      : `${missing} required ${missing === 1 ? 'record was' : 'records were'} not found yet.`;
  return redirect(`${PATH}/${id}`, said);
}

async function remove(request: PageRequest): Promise<PageResult> {
  const result = await request.attempt('domains.delete', { params: { id: request.param('id') } });
  return result.ok ? redirect(PATH, `${result.body.name} was removed.`) : await show(request, result.problem);
}

async function rotate(request: PageRequest): Promise<PageResult> {
  const result = await request.attempt('domains.rotate', { params: { id: request.param('id') } });
  return result.ok
    ? redirect(`${PATH}/${result.body.id}`, 'A new DKIM key was created. Publish its record.')
    : await show(request, result.problem);
}

async function removedPage(request: PageRequest, problem: Problem | null): Promise<PageResult> {
  const given = queryOf(request.query, ['cursor']);
  const { domains, nextCursor } = await request.call('domains.history', { query: given });
  const title = 'Removed domains';
  const columns: readonly Column<(typeof domains)[number]>[] = [
    { label: 'Domain', kind: 'lead', cell: ({ name }) => html`<span class="strong">${name}</span>` },
    { label: 'DKIM selector', cell: ({ dkimSelector }) => html`<code>${dkimSelector}</code>` },
    {
      label: 'Actions',
      isLabelUnseen: true,
      cell: ({ id, name }) =>
        request.may('domains.restore')
          ? html`<form method="post" action="${PATH}/${id}/restore">${button('Restore', { isSmall: true, description: `Restore ${name}` })}</form>`
          : null,
    },
  ];
  const rows = html`${table({ caption: title, columns, rows: domains })}${pager('', nextCursor === null ? null : withQuery(`${PATH}/removed`, { cursor: nextCursor }))}`;
  return page({
    ...{ title, section: 'domains', status: problem?.status ?? 200 },
    content: html`${pageHeader({ title, lead: 'Their keys are kept: a restored domain needs no new DNS records.', crumbs: [{ label: 'Domains', href: PATH }] })}
${problem === null ? null : problemNotice(problem)}${flushCard(null, domains.length === 0 ? emptyState('None', 'No domain was removed.') : rows)}`,
  });
}

async function restore(request: PageRequest): Promise<PageResult> {
  const result = await request.attempt('domains.restore', { params: { id: request.param('id') } });
  return result.ok
    ? redirect(`${PATH}/${result.body.id}`, `${result.body.name} was restored.`)
    : await removedPage(request, result.problem);
}
