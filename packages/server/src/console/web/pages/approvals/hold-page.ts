import type { Approval, FieldProblem } from '@postrider/core';
import { readDecisionForm } from '../../../../approvals/web/decision-form.ts';
import { readExcerpts } from '../../../../approvals/web/held-content.ts';
import { readHeld } from '../../../../approvals/web/held-reading.ts';
import { decidedNotice } from '../../../../approvals/web/view/decided-words.ts';
import { senderOf } from '../../../../approvals/web/view/held-envelope.ts';
import { heldView } from '../../../../approvals/web/view/held-view.ts';
import type { HeldView } from '../../../../approvals/web/view/shown-hold.ts';
import { toVoting } from '../../../../approvals/web/voting.ts';
import { type Html, html } from '../../../../html/page-markup.ts';
import { badge, statusBadge } from '../../../../ui/components/badge.ts';
import { linkButton } from '../../../../ui/components/button.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { revealed } from '../../../../ui/components/revealed-text.ts';
import { type PageContent, page } from '../../console-page.ts';
import type { PageRequest } from '../../page-request.ts';
import { readDecider, readVoting } from './decider-words.ts';
import { readForecast } from './forecast.ts';
import { contentToolsOf } from './held-parts.ts';
import { readNeighbors } from './neighbors.ts';
import { APPROVALS, pathOf } from './paths.ts';
import { fieldsIn } from './script-result.ts';

/** One held message, as its recipients will see it, with the decision. */
export async function showHold(request: PageRequest): Promise<PageContent> {
  return await holdPage(request, await request.call('approvals.get', { params: { id: request.param('id') } }), null);
}

/** @param said what was refused, above everything else */
export async function holdPage(
  request: PageRequest,
  approval: Approval,
  said: { readonly status: number; readonly notice: Html; readonly errors: readonly FieldProblem[] } | null,
): Promise<PageContent> {
  const { subject } = approval;
  const [decider, neighbors] = await Promise.all([readDecider(request, approval), readNeighbors(request, approval)]);
  const view = await readView(request, approval, neighbors.next, said?.errors ?? []);
  const title = subject === '' ? 'No subject' : subject;
  const move = html`${neighbors.newer === null ? null : linkButton('Newer', neighbors.newer, { isSmall: true, kind: 'plain', key: 'k' })}${neighbors.older === null ? null : linkButton('Older', neighbors.older, { isSmall: true, kind: 'plain', key: 'j' })}`;
  const lead = html`${stateOf(approval, request)} Requested by ${senderOf(approval)} for ${recipientsOf(approval)} <span class="live" role="status"></span>`;
  const message =
    approval.status === 'pending' || !request.may('emails.get')
      ? null
      : linkButton('Open the message', `/console/messages/${approval.emailId}`, { isSmall: true });
  const receipt =
    approval.receipt === null ? null : linkButton('Receipt', `${pathOf(approval.id)}/receipt`, { isSmall: true });
  return page({
    ...{ title, section: 'approvals', watch: ['approvals'], status: said?.status ?? 200 },
    content: html`${pageHeader({
      // The whole subject is in the message; here it must not push the decision out of the window.
      title: html`<span class="clamp-title">${revealed(title)}</span>`,
      lead,
      crumbs: [{ label: 'Approvals', href: APPROVALS }],
      actions: html`${message}${receipt}${move}`,
    })}${said?.notice}${decidedNotice(approval, decider)}${view}`,
  });
}

/** A hold whose time is over is expired, also before the scheduled job has ended it. */
export function statusOf({ status, expiresAt }: Approval, now: Date): Approval['status'] {
  return status === 'pending' && new Date(expiresAt) <= now ? 'expired' : status;
}

function stateOf(approval: Approval, { now, caller }: PageRequest): Html {
  const status = statusOf(approval, now);
  if (status !== 'pending') return statusBadge(status);
  const { mayApprove, hasVoted } = toVoting(approval, caller.user.memberId, []);
  return mayApprove && !hasVoted ? badge('Waiting for you', 'warn') : badge('Waiting for others', 'info');
}

function recipientsOf({ to, cc, bcc }: Approval): string {
  const count = to.length + cc.length + bcc.length;
  return count === 1 ? '1 recipient' : `${count} recipients`;
}

/** The form is empty unless it was sent, and this page is only the response to a decision that was refused. */
function readRefused({ form }: PageRequest): HeldView['refused'] {
  const given = readDecisionForm(fieldsIn(form));
  return given === null ? null : { decision: given.decision, note: given.note ?? '' };
}

async function readView(
  request: PageRequest,
  approval: Approval,
  next: string,
  errors: readonly FieldProblem[],
): Promise<Html> {
  const { id } = approval;
  const { accountId } = request.caller;
  const mayDecide = request.may('approvals.decide') && statusOf(approval, request.now) === 'pending';
  const voting = await readVoting(request, approval);
  const view: HeldView = {
    ...{ approval, base: pathOf(id), now: request.now.toISOString(), mayDecide, mayRemember: true },
    passkeyHost: request.passkeyHost,
    voting,
    ...{
      loadsPictures: request.query.has('pictures'),
      forecast: mayDecide && voting.mayApprove ? await readForecast(request, id) : [],
    },
    reading: await readHeld(request.services.threads, { accountId, keyId: approval.keyId }, approval),
    excerpts: await readExcerpts(contentToolsOf(request), approval),
    ...{ next, errors, refused: readRefused(request) },
  };
  return heldView(view);
}
