import type { findOperation, OperationOutput, Problem } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { validationFailed } from '../../../operations/parse-part.ts';
import { badge, statusBadge } from '../../../ui/components/badge.ts';
import { button, linkButton } from '../../../ui/components/button.ts';
import { facts } from '../../../ui/components/facts.ts';
import { select } from '../../../ui/components/field.ts';
import { foreignText } from '../../../ui/components/foreign-text.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { card, confirmation, copyable, emptyState, flushCard, notice, pager } from '../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../ui/components/table.ts';
import { time } from '../../../ui/components/time.ts';
import { type PageResult, type PageRoute, page, redirect } from '../console-page.ts';
import { problemNotice } from '../console-problems.ts';
import { queryOf, withQuery } from '../page-address.ts';
import { PageForm } from '../page-form.ts';
import { texts } from '../page-query.ts';
import type { PageRequest } from '../page-request.ts';
import { readListedApprovers } from './approver-fields.ts';
import { keyFields, policyCard } from './key-form.ts';
import { fieldsOfKey, keyInputOf, policyOf } from './key-input.ts';

const PATH = '/console/keys';

export const KEY_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: 'keys.list', query: texts(['cursor']), run: list },
  {
    method: 'GET',
    path: `${PATH}/create`,
    needs: 'keys.create',
    run: async (request) =>
      await createPage(
        request,
        new PageForm([
          ['access', 'sending'],
          ['approvalMode', 'always'],
          ['agentName', ''],
        ]),
        null,
      ),
  },
  { method: 'POST', path: `${PATH}/create`, needs: 'keys.create', run: create },
  { method: 'GET', path: `${PATH}/:id`, needs: 'keys.get', run: (request) => show(request, null) },
  { method: 'GET', path: `${PATH}/:id/edit`, needs: 'keys.update', run: edit },
  { method: 'POST', path: `${PATH}/:id/edit`, needs: 'keys.update', run: update },
  {
    method: 'POST',
    path: `${PATH}/:id/pause`,
    needs: 'keys.pause',
    run: (request) => act(request, 'keys.pause', 'The key is paused: it cannot send.'),
  },
  {
    method: 'POST',
    path: `${PATH}/:id/resume`,
    needs: 'keys.resume',
    run: (request) => act(request, 'keys.resume', 'The key can send again.'),
  },
  {
    method: 'POST',
    path: `${PATH}/:id/revoke`,
    needs: 'keys.revoke',
    run: (request) => act(request, 'keys.revoke', 'The key is revoked.'),
  },
  { method: 'POST', path: `${PATH}/:id/rotate`, needs: 'keys.rotate', run: rotate },
];

type Key = OperationOutput<ReturnType<typeof findOperation<'keys.get'>>>;

async function list(request: PageRequest): Promise<PageResult> {
  const given = queryOf(request.query, ['cursor']);
  const { keys, total, nextCursor } = await request.call('keys.list', { query: given });
  const columns: readonly Column<Key>[] = [
    {
      label: 'Key',
      kind: 'lead',
      cell: (key) => html`<a class="row-link" href="${PATH}/${key.id}">${key.name}</a><br>${credentialOf(key)}`,
    },
    { label: 'Status', cell: keyBadge },
    { label: 'Approval', cell: ({ approvalMode }) => APPROVAL_WORDS[approvalMode] },
    {
      label: 'May send to',
      cell: ({ recipientAllowlist }) => (recipientAllowlist === null ? 'Anyone' : shortList(recipientAllowlist)),
    },
    {
      label: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? html`<span class="faint">never</span>` : time(lastUsedAt, 'age'),
    },
  ];
  const createLink = request.may('keys.create')
    ? linkButton('Create a key', `${PATH}/create`, { kind: 'primary', key: 'n' })
    : null;
  const rows = html`${table({ caption: 'API keys', columns, rows: keys, idOf: ({ id }) => `key-${id}` })}
${pager(total === 1 ? '1 key' : `${total.toLocaleString('en-US')} keys`, nextCursor === null ? null : withQuery(PATH, { cursor: nextCursor }))}`;
  return page({
    ...{ title: 'API keys', section: 'keys' },
    content: html`${pageHeader({ title: 'API keys', lead: 'One key for each agent and program, each limited to what it needs.', actions: createLink })}
${flushCard(null, keys.length === 0 ? emptyState('No keys yet', 'Create a key for an agent or an application.', createLink) : rows)}`,
  });
}

/** A key is used by its secret, or by a program that signed in. */
function credentialOf({ prefix, last4, client }: Key): Html {
  return client === null
    ? html`<code class="faint">${prefix}…${last4}</code>`
    : html`<span class="faint">${foreignText(client.name)}, allowed by ${client.grantedBy.email ?? 'a former member'}</span>`;
}

const APPROVAL_WORDS: Readonly<Record<Key['approvalMode'], string>> = {
  off: 'Not needed',
  always: 'Every message',
  policy: 'Some messages',
};

function shortList(entries: readonly string[]): string {
  return entries.length > 2 ? `${entries.slice(0, 2).join(', ')} and ${entries.length - 2} more` : entries.join(', ');
}

function keyBadge({ revokedAt, pausedAt, mode }: Key): Html {
  if (revokedAt !== null) return statusBadge('revoked');
  if (pausedAt !== null) return statusBadge('paused');
  return mode === 'test' ? badge('Test', 'info') : statusBadge('active');
}

async function createPage(request: PageRequest, form: PageForm, problem: Problem | null): Promise<PageResult> {
  const approvers = await readListedApprovers(request);
  const title = 'Create a key';
  const mode = form.get('mode') === 'test' ? 'test' : 'live';
  return page({
    ...{ title, section: 'keys', status: problem?.status ?? 200 },
    content: html`${pageHeader({ title, crumbs: [{ label: 'API keys', href: PATH }] })}${problem === null ? null : problemNotice(problem)}
<div class="columns"><section class="card"><div class="body"><form class="form" method="post" action="${PATH}/create" data-preview="policy">${keyFields({ form, problem, isNew: true, approvers })}
<div class="actions">${button('Create the key', { kind: 'primary', name: 'action', value: 'create' })}${button('Preview', { name: 'action', value: 'preview' })}${linkButton('Back', PATH, { kind: 'plain' })}</div></form></div></section>
<div class="sticky">${policyCard(policyOf(form, mode))}</div></div>`,
  });
}

async function create(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  if (form.get('action') === 'preview') return await createPage(request, form, null);
  const missing = missingRule(request);
  if (missing !== null) return await createPage(request, form, missing);
  const mode = form.get('mode') === 'test' ? 'test' : 'live';
  const result = await request.attempt('keys.create', { body: { mode, ...keyInputOf(form) } });
  if (!result.ok) return await createPage(request, form, result.problem);
  return secretPage(request, result.body, 'The key was created');
}

/** The only page that shows a secret. It is the response to the form, so the secret is in no address and no cookie. */
function secretPage(
  request: PageRequest,
  { id, name, key }: Key & { readonly key: string },
  title: string,
): PageResult {
  const { baseUrl } = request.services.installation;
  const config = JSON.stringify(
    { mcpServers: { postrider: { type: 'http', url: `${baseUrl}/mcp`, headers: { Authorization: `Bearer ${key}` } } } },
    null,
    2,
  );
  return page({
    ...{ title, section: 'keys' },
    content: html`${pageHeader({ title, lead: name, crumbs: [{ label: 'API keys', href: PATH }] })}
${notice('warn', 'Copy the key now.', 'It is shown only once and is not stored.')}${card('Key', copyable(key, 'Copy the key'))}
${card('Connect an agent over MCP', html`<pre>${config}</pre><div><button type="button" class="small" data-action="copy" data-copy="${config}" hidden>Copy the configuration</button></div>`)}
<div class="actions">${linkButton('Done', `${PATH}/${id}`, { kind: 'primary' })}</div>`,
  });
}

async function show(request: PageRequest, problem: Problem | null): Promise<PageResult> {
  const key = await request.call('keys.get', { params: { id: request.param('id') } });
  const { id, name, createdAt, lastUsedAt, expiresAt, revokedAt, pausedAt, scopes } = key;
  const isLive = revokedAt === null;
  const editLink =
    isLive && request.may('keys.update')
      ? linkButton('Change', `${PATH}/${id}/edit`, { kind: 'primary', key: 'e' })
      : null;
  return page({
    ...{ title: name, section: 'keys', status: problem?.status ?? 200 },
    content: html`${pageHeader({ title: name, lead: html`${keyBadge(key)} ${credentialOf(key)}`, crumbs: [{ label: 'API keys', href: PATH }], actions: html`${isLive ? keyActions(request, key) : null}${editLink}` })}
${problem === null ? null : problemNotice(problem)}<div class="columns"><div>${policyCard({ ...key, isPaused: pausedAt !== null })}</div>
${card(
  'About this key',
  html`${facts([
    ['Created', time(createdAt)],
    [
      'Program',
      key.client === null
        ? null
        : html`${foreignText(key.client.name)} <span class="line small faint">It signed in with OAuth. Its client id: <code>${key.client.id}</code></span>`,
    ],
    ['Allowed by', key.client === null ? null : (key.client.grantedBy.email ?? 'A former member')],
    ['Last used', lastUsedAt === null ? 'Never' : time(lastUsedAt, 'age')],
    ['Expires', expiresAt === null ? 'Never' : time(expiresAt)],
    ['Paused', pausedAt === null ? null : time(pausedAt)],
    ['Revoked', revokedAt === null ? null : time(revokedAt)],
    [
      'Permissions',
      html`<details class="more"><summary>${scopes.length} permissions</summary><ul class="bullets">${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul></details>`,
    ],
    ['Id', html`<code>${id}</code>`],
  ])}<div class="stack-tight">${request.may('emails.list') ? html`<a href="${withQuery('/console/messages', { key_id: id })}">Messages of this key</a>` : null}${request.may('audit.list') ? html`<a href="${withQuery('/console/audit', { target_id: id })}">Changes of this key</a>` : null}</div>`,
)}</div>`,
  });
}

function keyActions(request: PageRequest, { id, name, pausedAt, client }: Key): Html {
  const pause =
    pausedAt === null && request.may('keys.pause')
      ? html`<form method="post" action="${PATH}/${id}/pause">${button('Pause')}</form>`
      : null;
  const resume =
    pausedAt !== null && request.may('keys.resume')
      ? html`<form method="post" action="${PATH}/${id}/resume">${button('Resume')}</form>`
      : null;
  const graces = [
    { value: '0', label: 'stops working immediately' },
    { value: '3600', label: 'keeps working for an hour' },
    { value: '86400', label: 'keeps working for a day' },
  ];
  const rotation =
    client === null && request.may('keys.rotate')
      ? html`<form class="stack-tight" method="post" action="${PATH}/${id}/rotate"><strong>New secret</strong>${select({ name: 'graceSeconds', label: 'The old secret', value: '0', options: graces })}${button('Rotate')}</form>`
      : null;
  const revocation = request.may('keys.revoke')
    ? html`<form class="stack-tight" method="post" action="${PATH}/${id}/revoke"><strong>Revoke</strong><p class="small">${name} stops working within a second, for good. Its waiting approvals are withdrawn.</p>${button('Revoke the key', { kind: 'danger' })}</form>`
    : null;
  const more =
    rotation === null && revocation === null
      ? null
      : confirmation('More', html`${rotation}${revocation}`, { isDanger: false });
  return html`${pause}${resume}${more}`;
}

async function edit(request: PageRequest): Promise<PageResult> {
  const key = await request.call('keys.get', { params: { id: request.param('id') } });
  return await editPage(request, key, new PageForm(fieldsOfKey(key)), null);
}

async function editPage(
  request: PageRequest,
  { id, name, mode }: Key,
  form: PageForm,
  problem: Problem | null,
): Promise<PageResult> {
  const approvers = await readListedApprovers(request);
  const title = `Change ${name}`;
  return page({
    ...{ title, section: 'keys', status: problem?.status ?? 200 },
    content: html`${pageHeader({
      title,
      lead: 'A change takes effect within a second, on open connections too.',
      crumbs: [
        { label: 'API keys', href: PATH },
        { label: name, href: `${PATH}/${id}` },
      ],
    })}
${problem === null ? null : problemNotice(problem)}<div class="columns"><section class="card"><div class="body"><form class="form" method="post" action="${PATH}/${id}/edit" data-preview="policy">${keyFields({ form, problem, isNew: false, approvers })}
<div class="actions">${button('Save', { kind: 'primary', name: 'action', value: 'save' })}${button('Preview', { name: 'action', value: 'preview' })}${linkButton('Back', `${PATH}/${id}`, { kind: 'plain' })}</div></form></div></section>
<div class="sticky">${policyCard(policyOf(form, mode))}</div></div>`,
  });
}

async function update(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const id = request.param('id');
  const key = await request.call('keys.get', { params: { id } });
  if (form.get('action') === 'preview') return await editPage(request, key, form, null);
  const missing = missingRule(request);
  if (missing !== null) return await editPage(request, key, form, missing);
  const result = await request.attempt('keys.update', { params: { id }, body: keyInputOf(form) });
  if (!result.ok) return await editPage(request, key, form, result.problem);
  return redirect(`${PATH}/${id}`, 'The key was changed.');
}

/** Without a rule, “some messages” would be none, which is not what the choice says. */
function missingRule(request: PageRequest): Problem | null {
  const { approvalMode, holdWhen } = keyInputOf(request.form);
  if (approvalMode !== 'policy' || Object.values(holdWhen ?? {}).some((rule) => rule !== false && rule !== null))
    return null;
  const message = 'Tick at least one rule, or choose that no message waits.';
  return request.problemOf(validationFailed([{ path: 'holdWhen', code: 'required', message }]));
}

async function act(
  request: PageRequest,
  operation: 'keys.pause' | 'keys.resume' | 'keys.revoke',
  said: string,
): Promise<PageResult> {
  const id = request.param('id');
  const result = await request.attempt(operation, { params: { id } });
  return result.ok ? redirect(`${PATH}/${id}`, said) : await show(request, result.problem);
}

async function rotate(request: PageRequest): Promise<PageResult> {
  const graceSeconds = Number(request.form.text('graceSeconds') ?? '0');
  const result = await request.attempt('keys.rotate', { params: { id: request.param('id') }, body: { graceSeconds } });
  return result.ok ? secretPage(request, result.body, 'The key has a new secret') : await show(request, result.problem);
}
