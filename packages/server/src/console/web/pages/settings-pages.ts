import { type findOperation, LIMITS, type OperationOutput, type Problem } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { badge, statusBadge } from '../../../ui/components/badge.ts';
import { button, linkButton } from '../../../ui/components/button.ts';
import { facts } from '../../../ui/components/facts.ts';
import { checkbox, faultOf, textField } from '../../../ui/components/field.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { card, confirmation, flushCard, notice } from '../../../ui/components/surfaces.ts';
import { type Column, table } from '../../../ui/components/table.ts';
import { time } from '../../../ui/components/time.ts';
import { browserWords } from '../browser-words.ts';
import { type PageResult, type PageRoute, page, redirect } from '../console-page.ts';
import { problemNotice } from '../console-problems.ts';
import type { PageRequest } from '../page-request.ts';
import { approversCard, approversChanged, changedApprovers } from './settings-approvers.ts';

const PATH = '/console/settings';

export const SETTINGS_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: null, run: (request) => show(request, null) },
  { method: 'POST', path: PATH, needs: 'account.update', run: update },
  { method: 'POST', path: `${PATH}/approvers`, needs: 'account.update', run: changeApprovers },
  {
    method: 'POST',
    path: `${PATH}/pause`,
    needs: 'account.pause',
    run: (request) => act(request, 'account.pause', 'Sending is paused.'),
  },
  {
    method: 'POST',
    path: `${PATH}/resume`,
    needs: 'account.resume',
    run: (request) => act(request, 'account.resume', 'Sending has resumed.'),
  },
  { method: 'POST', path: `${PATH}/delete`, needs: 'account.delete', run: remove },
  { method: 'POST', path: `${PATH}/keep`, needs: 'account.update', run: keep },
  { method: 'POST', path: `${PATH}/sessions/:id/end`, needs: null, run: endSession },
  { method: 'POST', path: `${PATH}/sessions/end-others`, needs: null, run: endOthers },
  { method: 'POST', path: `${PATH}/switch`, needs: null, run: switchAccount },
];

type Account = OperationOutput<ReturnType<typeof findOperation<'account.get'>>>;
type Sessions = OperationOutput<ReturnType<typeof findOperation<'sessions.list'>>>;
type OwnSession = Sessions['sessions'][number];

async function show(request: PageRequest, problem: Problem | null): Promise<PageResult> {
  const [account, sessions, seats] = await Promise.all([
    request.may('account.get') ? request.call('account.get') : null,
    request.call('sessions.list'),
    request.call('auth.accounts'),
  ]);
  return page({
    ...{ title: 'Settings', section: 'settings', status: problem?.status ?? 200 },
    content: html`${pageHeader({ title: 'Settings' })}${problem === null ? null : problemNotice(problem)}
${account === null ? null : html`${accountCard(request, account, problem)}${approversCard(request, `${PATH}/approvers`, account.approvers, problem)}${factsCard(account)}${pauseCard(request, account)}`}
${signInCard(request)}${sessionsCard(sessions)}${seats.accounts.length < 2 ? null : seatsCard(seats.accounts)}
${account === null ? null : deletionCard(request, account)}`,
  });
}

function accountCard(request: PageRequest, { name, trackOpens, trackClicks }: Account, problem: Problem | null): Html {
  if (!request.may('account.update')) {
    return card(
      'Account',
      facts([
        ['Name', name],
        ['Open tracking', trackOpens ? 'On' : 'Off'],
        ['Click tracking', trackClicks ? 'On' : 'Off'],
      ]),
    );
  }
  const typed = request.form.get('name');
  return card(
    'Account',
    html`<form class="form" method="post" action="${PATH}">
${textField({ name: 'name', label: 'Name of the organization', value: typed ?? name, isRequired: true, maxLength: LIMITS.accountNameCharacters, fault: faultOf(problem?.errors, 'name') })}
<fieldset><legend>Tracking</legend>${checkbox({ name: 'trackOpens', label: 'Opens', hint: 'Adds an image of one pixel to HTML mail. Neither the address nor the mail program of recipients is recorded.', isChecked: typed === null ? trackOpens : request.form.has('trackOpens') })}
${checkbox({ name: 'trackClicks', label: 'Clicks', hint: 'Links lead through this server. Unsubscribe links are never changed.', isChecked: typed === null ? trackClicks : request.form.has('trackClicks') })}</fieldset>
<div>${button('Save', { kind: 'primary' })}</div></form>`,
  );
}

function factsCard({ plan, monthlyQuota, monthlyUsed, retentionDays, reputationLevel, id }: Account): Html {
  return card(
    'Limits',
    facts([
      ['Plan', plan.replaceAll('_', ' ')],
      [
        'Monthly quota',
        `${monthlyUsed.toLocaleString('en-US')} of ${monthlyQuota.toLocaleString('en-US')} recipients used`,
      ],
      ['Content is kept for', `${retentionDays} days. The log of messages is kept longer.`],
      ['Reputation', statusBadge(reputationLevel)],
      ['Account id', html`<code>${id}</code>`],
    ]),
  );
}

function pauseCard(request: PageRequest, { pausedAt }: Account): Html {
  if (!request.may('account.pause')) return html``;
  if (pausedAt !== null) {
    return card(
      'Pause',
      html`${notice('warn', html`Sending has been paused since ${time(pausedAt)}.`, 'Every send of every key is refused.')}
<form method="post" action="${PATH}/resume">${button('Resume sending', { kind: 'primary' })}</form>`,
    );
  }
  const body = html`<form class="stack-tight" method="post" action="${PATH}/pause"><p>Every send of every key is refused within a second. What was accepted before is still delivered.</p>${button('Pause sending', { kind: 'danger' })}</form>`;
  return card(
    'Pause',
    html`<div class="row"><span>Stop all sends of this account at once, for example if a key was stolen.</span><span class="end">${confirmation('Pause sending', body)}</span></div>`,
  );
}

function signInCard({ caller: { user } }: PageRequest): Html {
  return card(
    'Signing in',
    html`<div class="row"><span>You are signed in as <b>${user.email}</b>, ${user.role}. A passkey signs you in with your fingerprint, face or device PIN.</span><span class="end">${linkButton('Passkeys', '/auth/passkeys')}</span></div>
<div class="row"><span>Programs that signed in as you can use this account within the limits that you set.</span><span class="end">${linkButton('Programs you allowed', '/console/programs')}</span></div>`,
  );
}

function sessionsCard({ sessions, total }: Sessions): Html {
  const columns: readonly Column<OwnSession>[] = [
    {
      label: 'Where',
      kind: 'lead',
      cell: ({ client, kind, current }) =>
        html`<span class="strong">${kind === 'device' ? (client ?? 'A program') : browserWords(client)}</span>${current ? html` ${badge('This browser', 'good')}` : null}`,
    },
    { label: 'Address', cell: ({ address }) => address ?? 'unknown' },
    { label: 'Account', cell: ({ account }) => account.name },
    { label: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt, 'age') },
    {
      label: 'Actions',
      isLabelUnseen: true,
      cell: ({ id, current, client }) =>
        current
          ? null
          : html`<form method="post" action="${PATH}/sessions/${id}/end">${button('End', { isSmall: true, description: `End the session ${client ?? ''}` })}</form>`,
    },
  ];
  const actions =
    total < 2
      ? null
      : html`<form method="post" action="${PATH}/sessions/end-others">${button('End all others', { isSmall: true })}</form>`;
  return flushCard(
    'Your sessions',
    table({ caption: 'Your sessions', columns, rows: sessions, idOf: ({ id }) => `session-${id}` }),
    { actions },
  );
}

function seatsCard(accounts: OperationOutput<ReturnType<typeof findOperation<'auth.accounts'>>>['accounts']): Html {
  const rows = accounts.map(
    ({ id, name, role, current }) =>
      html`<li class="row"><span class="strong">${name}</span><span class="faint">${role}</span><span class="end">${current ? badge('Current', 'good') : html`<form method="post" action="${PATH}/switch"><input type="hidden" name="accountId" value="${id}">${button('Switch', { isSmall: true, description: `Switch to ${name}` })}</form>`}</span></li>`,
  );
  return card('Your accounts', html`<ul class="plain">${rows}</ul>`);
}

function deletionCard(request: PageRequest, { deletionScheduledAt, name }: Account): Html {
  if (deletionScheduledAt !== null) {
    const undo = request.may('account.update')
      ? html`<form method="post" action="${PATH}/keep">${button('Keep the account', { kind: 'primary' })}</form>`
      : null;
    return card(
      'Delete the account',
      html`${notice('bad', html`Everything will be deleted on ${time(deletionScheduledAt)}.`)}${undo}`,
    );
  }
  if (!request.may('account.delete')) return html``;
  const body = html`<form class="stack-tight" method="post" action="${PATH}/delete"><p>All messages, keys, domains and templates are erased after 30 days. Until then, an owner can keep the account.</p>
${textField({ name: 'confirm', label: html`Type <b>${name}</b> to confirm`, isRequired: true })}${button('Delete the account', { kind: 'danger' })}</form>`;
  return card(
    'Delete the account',
    html`<div class="row"><span>For owners: erases the account and everything in it, 30 days from now.</span><span class="end">${confirmation('Delete …', body)}</span></div>`,
  );
}

async function update(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const body = {
    name: form.get('name') ?? '',
    trackOpens: form.has('trackOpens'),
    trackClicks: form.has('trackClicks'),
  };
  const result = await request.attempt('account.update', { body });
  return result.ok ? redirect(PATH, 'The settings were saved.') : await show(request, result.problem);
}

async function changeApprovers(request: PageRequest): Promise<PageResult> {
  const before = (await request.call('account.get')).approvers;
  const approvers = changedApprovers(request.form, before);
  const result = await request.attempt('account.update', { body: { approvers } });
  return result.ok ? redirect(PATH, approversChanged(before, approvers)) : await show(request, result.problem);
}

async function act(request: PageRequest, id: 'account.pause' | 'account.resume', said: string): Promise<PageResult> {
  const result = await request.attempt(id);
  return result.ok ? redirect(PATH, said) : await show(request, result.problem);
}

async function remove(request: PageRequest): Promise<PageResult> {
  const { name } = await request.call('account.get');
  if (request.form.text('confirm') !== name) return redirect(PATH, 'Nothing was deleted: the name did not match.');
  const result = await request.attempt('account.delete');
  return result.ok ? redirect(PATH, 'The account will be deleted in 30 days.') : await show(request, result.problem);
}

async function keep(request: PageRequest): Promise<PageResult> {
  const result = await request.attempt('account.update', { body: { cancelDeletion: true } });
  return result.ok ? redirect(PATH, 'The account is kept.') : await show(request, result.problem);
}

async function endSession(request: PageRequest): Promise<PageResult> {
  const result = await request.attempt('sessions.end', { params: { id: request.param('id') } });
  return result.ok ? redirect(PATH, 'The session has ended.') : await show(request, result.problem);
}

async function endOthers(request: PageRequest): Promise<PageResult> {
  const { ended } = await request.call('sessions.end-others');
  return redirect(PATH, ended === 1 ? '1 other session has ended.' : `${ended} other sessions have ended.`);
}

async function switchAccount(request: PageRequest): Promise<PageResult> {
  const { account } = await request.call('auth.switch', { body: { accountId: request.form.text('accountId') ?? '' } });
  return redirect('/console', account === null ? undefined : `You are now in ${account.name}.`);
}
