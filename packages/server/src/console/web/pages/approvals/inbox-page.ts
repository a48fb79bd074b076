import { APPROVAL_STATUSES, type Approval, type ApprovalStatus, type Problem } from '@postrider/core';
import { NOTE_FIELDS } from '../../../../approvals/web/decision-form.ts';
import { type Html, html } from '../../../../html/page-markup.ts';
import { linkButton } from '../../../../ui/components/button.ts';
import { faultOf } from '../../../../ui/components/field.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { emptyState, flushCard, pager, tabs } from '../../../../ui/components/surfaces.ts';
import { type PageResult, page } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import { queryOf, withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { draftsCard } from './draft-rows.ts';
import { inboxForm } from './inbox-form.ts';
import { holdTable } from './inbox-rows.ts';
import { APPROVALS } from './paths.ts';
import { readRowFindings } from './row-findings.ts';

const LABELS: Readonly<Record<ApprovalStatus, string>> = {
  pending: 'Waiting',
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired',
  withdrawn: 'Withdrawn',
};

export const INBOX_QUERY = { status: APPROVAL_STATUSES, cursor: 'text' } as const;

/** What waits for a decision, and what was decided. */
export async function showInbox(request: PageRequest, problem: Problem | null = null): Promise<PageResult> {
  const title = 'Approvals';
  if (!request.caller.scopes.includes('approvals:read')) return nothingForRole(title);
  const given = request.query.text('status');
  const status = APPROVAL_STATUSES.find((one) => one === given) ?? 'pending';
  const { cursor } = queryOf(request.query, ['cursor']);
  const isFirst = status === 'pending' && cursor === undefined;
  const query = { status, limit: '50', ...(cursor === undefined ? {} : { cursor }) };
  const [held, drafts] = await Promise.all([
    request.call('approvals.list', { query: { ...query, content: 'false' } }),
    isFirst ? request.attempt('templates.drafts', { query: { limit: '20' } }) : null,
  ]);
  const { approvals, total, nextCursor } = held;
  const next = nextCursor === null ? null : withQuery(APPROVALS, { status, cursor: nextCursor });
  const found = status === 'pending' ? await readRowFindings(request, approvals, query) : new Map();
  const waiting = drafts?.ok === true ? drafts.body : null;
  const list =
    approvals.length === 0
      ? empty(status, waiting !== null && waiting.drafts.length > 0)
      : rows(request, status, approvals, found, problem);
  const count = total === 1 ? '1 message' : `${total.toLocaleString('en-US')} messages`;
  return page({
    ...{ title, section: 'approvals', status: problem?.status ?? 200, watch: ['approvals', 'templates'] },
    content: html`${pageHeader({ title, lead: 'Messages that agents want to send. Nothing is sent until someone approves it.', actions: html`<span class="live" role="status"></span>` })}${problem === null ? null : problemNotice(problem)}
${tabs(
  'Status',
  APPROVAL_STATUSES.map((one) => ({
    label: LABELS[one],
    href: one === 'pending' ? APPROVALS : withQuery(APPROVALS, { status: one }),
    isCurrent: one === status,
  })),
)}${flushCard(null, html`${list}${approvals.length === 0 ? null : pager(count, next)}`)}${waiting === null ? null : draftsCard(waiting.drafts)}${isFirst ? hints(request) : null}`,
  });
}

function rows(
  request: PageRequest,
  status: ApprovalStatus,
  approvals: readonly Approval[],
  found: Awaited<ReturnType<typeof readRowFindings>>,
  problem: Problem | null,
): Html {
  const canTick = status === 'pending' && request.may('approvals.decide');
  const ticked = new Set(request.form.all('hold').map((hold) => hold.split(' ')[0] ?? ''));
  const caption = `${LABELS[status]}: messages`;
  const list = holdTable({ approvals, found, canTick, ticked, now: request.now, caption });
  const fault = faultOf(problem?.errors, 'rejectCode');
  const refused = fault === null ? null : { fault, note: request.form.get(NOTE_FIELDS.reject) ?? '' };
  return canTick ? inboxForm(list, refused) : list;
}

function empty(status: ApprovalStatus, hasDrafts: boolean): Html {
  if (status !== 'pending')
    return emptyState(
      `Nothing is ${LABELS[status].toLowerCase()}`,
      'Decided messages stay here, with who decided and why.',
    );
  return hasDrafts
    ? emptyState('No messages waiting', 'Only the template drafts below are waiting for you.')
    : emptyState(
        'Nothing is waiting for you',
        'New messages appear here automatically. A message is held if the approval mode of its key requires it.',
        linkButton('View the API keys', '/console/keys', { isSmall: true }),
      );
}

function nothingForRole(title: string): PageResult {
  return page({
    ...{ title, section: 'approvals' },
    content: html`${pageHeader({ title })}${flushCard(null, emptyState('Your role does not include approvals', 'Ask an owner or admin of the account for the approver role.'))}`,
  });
}

function hints(request: PageRequest): Html {
  const mayDecide = request.may('approvals.decide');
  return html`<p class="key-hints small faint"><span><kbd>j</kbd> <kbd>k</kbd> next, previous</span><span><kbd>o</kbd> open</span>${mayDecide ? html`<span><kbd>x</kbd> tick</span><span><kbd>a</kbd> approve what is ticked</span><span><kbd>r</kbd> reject it</span><span><kbd>z</kbd> undo</span>` : null}</p>`;
}
