import {
  type findOperation,
  LIMITS,
  type OperationOutput,
  type Problem,
  ROLES,
  type Role,
  scopesOfRole,
} from '@postrider/core';
import { ROLE_WORDS } from '../../../auth/web/role-words.ts';
import { type Html, html } from '../../../html/page-markup.ts';
import { statusBadge } from '../../../ui/components/badge.ts';
import { button } from '../../../ui/components/button.ts';
import { faultOf, radio, textField } from '../../../ui/components/field.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { card, confirmation, flushCard } from '../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../ui/components/table.ts';
import { time } from '../../../ui/components/time.ts';
import { type PageResult, type PageRoute, page, redirect } from '../console-page.ts';
import { problemNotice } from '../console-problems.ts';
import type { PageRequest } from '../page-request.ts';

const PATH = '/console/team';

export const TEAM_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: 'team.list', run: (request) => show(request, null) },
  { method: 'POST', path: PATH, needs: 'team.invite', run: invite },
  { method: 'POST', path: `${PATH}/:id/role`, needs: 'team.update', run: changeRole },
  { method: 'POST', path: `${PATH}/:id/remove`, needs: 'team.remove', run: remove },
];

type Member = OperationOutput<ReturnType<typeof findOperation<'team.list'>>>['members'][number];

async function show(request: PageRequest, problem: Problem | null): Promise<PageResult> {
  const { members, seats } = await request.call('team.list');
  const columns: readonly Column<Member>[] = [
    { label: 'Member', kind: 'lead', cell: (member) => memberName(member, request) },
    { label: 'Role', cell: (member) => roleCell(member, request) },
    { label: 'Status', cell: ({ status }) => statusBadge(status) },
    {
      label: 'Joined',
      cell: ({ joinedAt }) => (joinedAt === null ? html`<span class="faint">not yet</span>` : time(joinedAt, 'day')),
    },
    ...(request.may('team.remove')
      ? [
          {
            label: 'Actions',
            isLabelUnseen: true,
            cell: (member: Member) => (member.id === request.caller.user.memberId ? null : removal(member)),
          },
        ]
      : []),
  ];
  const lead = `${seats.used} of ${seats.limit} seats are used. Invited members use a seat too.`;
  return page({
    ...{ title: 'Team', section: 'team', status: problem?.status ?? 200 },
    content: html`${pageHeader({ title: 'Team', lead })}${problem === null ? null : problemNotice(problem)}
<div class="stack">${flushCard(null, table({ caption: 'Team members', columns, rows: members, idOf: ({ id }) => `member-${id}` }))}
<div class="halves">${request.may('team.invite') ? inviteForm(request, problem) : null}${roleFacts()}</div></div>`,
  });
}

function memberName({ id, name, email }: Member, { caller }: PageRequest): Html {
  const isYou = id === caller.user.memberId;
  return html`<span class="strong">${name ?? email}</span>${isYou ? html` <span class="faint">(you)</span>` : null}${name === null ? null : html`<br><span class="faint">${email}</span>`}`;
}

function roleCell({ id, email, role }: Member, request: PageRequest): Html {
  if (!request.may('team.update') || id === request.caller.user.memberId) return html`${roleLabel(role)}`;
  return html`<form class="row" method="post" action="${PATH}/${id}/role">
<label class="unseen" for="role-${id}">Role of ${email}</label><select id="role-${id}" name="role">${ROLES.map((one) => html`<option value="${one}"${one === role ? html` selected` : null}>${roleLabel(one)}</option>`)}</select>
${button('Change', { isSmall: true, description: `Change the role of ${email}` })}</form>`;
}

function removal({ id, email, status }: Member): Html {
  const words =
    status === 'invited'
      ? 'The invitation stops working.'
      : 'Their sessions in this account end at once. Keys that they created stay.';
  return confirmation(
    status === 'invited' ? 'Withdraw' : 'Remove',
    html`<form method="post" action="${PATH}/${id}/remove" class="stack-tight"><p>Remove <b>${email}</b> from the team? ${words}</p>${button('Remove', { kind: 'danger', description: `Remove ${email}` })}</form>`,
  );
}

function inviteForm({ form }: PageRequest, problem: Problem | null): Html {
  const chosen = form.get('role') ?? 'viewer';
  const choices = ROLES.map((role) =>
    radio({ name: 'role', value: role, label: roleLabel(role), hint: SHORT_WORDS[role], isChecked: role === chosen }),
  );
  return card(
    'Invite someone',
    html`<form class="form" method="post" action="${PATH}">
${textField({ name: 'email', label: 'Email address', type: 'email', value: form.get('email'), isRequired: true, maxLength: LIMITS.addressCharacters, fault: faultOf(problem?.errors, 'email') })}
<fieldset><legend>Role</legend>${choices}</fieldset>${button('Send the invitation', { kind: 'primary' })}</form>`,
  );
}

const SHORT_WORDS: Readonly<Record<Role, string>> = {
  owner: 'Everything, including deleting the account.',
  admin: 'Everything except deleting the account.',
  developer: 'Sends, and changes keys, domains, templates and webhooks.',
  approver: 'Reads messages, and approves or rejects held ones.',
  viewer: 'Reads, without the content of messages.',
};

function roleFacts(): Html {
  const roles = ROLES.map((role) => {
    const decides = scopesOfRole(role).includes('approvals:decide') ? ['Approve and reject held messages'] : [];
    const items = [...ROLE_WORDS[role], ...decides].map((words) => html`<li>${words}</li>`);
    return html`<section><h3>${roleLabel(role)}</h3><ul class="bullets soft">${items}</ul></section>`;
  });
  return card('What each role may do', html`<div class="stack">${roles}</div>`);
}

function roleLabel(role: Role): string {
  return `${role.charAt(0).toUpperCase()}${role.slice(1)}`;
}

async function invite(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const body = { email: form.text('email') ?? '', role: toRole(form.get('role')) };
  const result = await request.attempt('team.invite', { body });
  return result.ok ? redirect(PATH, `${result.body.email} was invited.`) : await show(request, result.problem);
}

async function changeRole(request: PageRequest): Promise<PageResult> {
  const result = await request.attempt('team.update', {
    params: { id: request.param('id') },
    body: { role: toRole(request.form.get('role')) },
  });
  if (!result.ok) return await show(request, result.problem);
  return redirect(PATH, `${result.body.email} is now ${result.body.role}.`);
}

async function remove(request: PageRequest): Promise<PageResult> {
  const result = await request.attempt('team.remove', { params: { id: request.param('id') } });
  return result.ok
    ? redirect(PATH, `${result.body.email} was removed from the team.`)
    : await show(request, result.problem);
}

/** What the form sent; the operation rejects anything that is not a role. */
function toRole(given: string | null): Role {
  return (given ?? '') as Role;
}
