import type { findOperation, OperationOutput, Problem } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import { badge, statusBadge } from '../../../ui/components/badge.ts';
import { button } from '../../../ui/components/button.ts';
import { facts } from '../../../ui/components/facts.ts';
import { foreignText } from '../../../ui/components/foreign-text.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { card, confirmation, emptyState } from '../../../ui/components/surfaces.ts';
import { time } from '../../../ui/components/time.ts';
import { type PageResult, type PageRoute, page, redirect } from '../console-page.ts';
import { problemNotice } from '../console-problems.ts';
import type { PageRequest } from '../page-request.ts';
import { policyLists } from './key-form.ts';

const PATH = '/console/programs';

/** For every role: what a user allowed, they can end, even if they may not manage keys. */
export const PROGRAM_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: PATH, needs: 'programs.list', run: (request) => show(request, null) },
  {
    method: 'POST',
    path: `${PATH}/:id/pause`,
    needs: 'programs.pause',
    run: (request) => act(request, 'programs.pause', 'The program is paused: it cannot send.'),
  },
  {
    method: 'POST',
    path: `${PATH}/:id/resume`,
    needs: 'programs.resume',
    run: (request) => act(request, 'programs.resume', 'The program can send again.'),
  },
  {
    method: 'POST',
    path: `${PATH}/:id/revoke`,
    needs: 'programs.revoke',
    run: (request) => act(request, 'programs.revoke', 'The access of the program has ended.'),
  },
];

type Program = OperationOutput<ReturnType<typeof findOperation<'programs.list'>>>['programs'][number];

async function show(request: PageRequest, problem: Problem | null): Promise<PageResult> {
  const { programs, total } = await request.call('programs.list');
  const title = 'Programs you allowed';
  const lead = html`They use ${request.caller.accountName} for you, never with more than your role allows. You set the limits when they signed in.`;
  const rest = total > programs.length ? html`<p class="soft">The newest ${programs.length} of ${total}.</p>` : null;
  return page({
    ...{ title, section: 'settings', status: problem?.status ?? 200 },
    content: html`${pageHeader({ title, lead, crumbs: [{ label: 'Settings', href: '/console/settings' }] })}
${problem === null ? null : problemNotice(problem)}${programs.length === 0 ? none() : programs.map(programCard)}${rest}`,
  });
}

function none(): Html {
  return emptyState(
    'You have allowed no program.',
    html`A program that connects to <code>/mcp</code> asks you to sign in, and what it may do.`,
  );
}

function programCard(program: Program): Html {
  const { client, createdAt, lastUsedAt, expiresAt, pausedAt } = program;
  return card(
    foreignText(client?.name ?? ''),
    html`${facts([
      ['Status', statusOf(program)],
      ['Client id', html`<code>${client?.id}</code>`],
      ['Allowed', time(createdAt)],
      ['Last used', lastUsedAt === null ? 'Never' : time(lastUsedAt, 'age')],
      ['Ends', expiresAt === null ? 'Never' : time(expiresAt)],
    ])}
<details class="more"><summary>What it may do</summary><div class="stack">${policyLists({ ...program, isPaused: pausedAt !== null })}</div></details>
<div class="actions">${pauseForm(program)}${revokeForm(program)}</div>`,
  );
}

/** A program without a token can do nothing, so it is not shown as active. */
function statusOf({ pausedAt, connected, lastUsedAt }: Program): Html {
  if (pausedAt !== null) return html`${statusBadge('paused')} since ${time(pausedAt)}`;
  if (connected) return statusBadge('active');
  return badge(lastUsedAt === null ? 'Allowed, not connected yet' : 'Signed out');
}

function pauseForm({ id, pausedAt, client }: Program): Html {
  const [verb, label] = pausedAt === null ? ['pause', 'Pause'] : ['resume', 'Resume'];
  return html`<form method="post" action="${PATH}/${id}/${verb}">${button(label ?? '', { description: `${label} ${client?.name}` })}</form>`;
}

function revokeForm({ id, client }: Program): Html {
  return confirmation(
    'Revoke …',
    html`<form class="stack-tight" method="post" action="${PATH}/${id}/revoke"><p>${foreignText(client?.name ?? '')} loses its access within a second, for good. Its messages that wait for approval are withdrawn.</p>${button('Revoke the access', { kind: 'danger' })}</form>`,
  );
}

async function act(
  request: PageRequest,
  operation: 'programs.pause' | 'programs.resume' | 'programs.revoke',
  said: string,
): Promise<PageResult> {
  const result = await request.attempt(operation, { params: { id: request.param('id') } });
  return result.ok ? redirect(PATH, said) : await show(request, result.problem);
}
