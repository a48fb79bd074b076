import { LIMITS, type Problem } from '@postrider/core';
import { findFormFaults, type GivenDecision, readDecisionForm } from '../../../../approvals/web/decision-form.ts';
import { ConfirmationNeeded } from '../../../../auth/passkeys/confirmation.ts';
import { html } from '../../../../html/page-markup.ts';
import { ProblemError } from '../../../../problem.ts';
import { badge } from '../../../../ui/components/badge.ts';
import { linkButton } from '../../../../ui/components/button.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { revealed } from '../../../../ui/components/revealed-text.ts';
import { flushCard } from '../../../../ui/components/surfaces.ts';
import { type PageResult, page, redirect } from '../../console-page.ts';
import type { PageRequest } from '../../page-request.ts';
import { decidedWords, formFault } from './decide-page.ts';
import { showInbox } from './inbox-page.ts';
import { APPROVALS, pathOf } from './paths.ts';
import { fieldsIn, isFromScript, scriptResult } from './script-result.ts';

interface Result {
  readonly id: string;
  readonly isDone: boolean;
  /** Whether others must approve it too. */
  readonly isWaiting?: boolean;
  readonly words: string;
}

/**
 * Decides every ticked message, each exactly as the list showed it: the operation that decides several at once takes no content hashes. One
 * after the other, because each locks the row of the account's quota.
 */
export async function decideMany(request: PageRequest): Promise<PageResult> {
  const given = readDecisionForm(fieldsIn(request.form));
  const holds = [...new Set(request.form.all('hold'))].slice(0, LIMITS.approvalsPerCall);
  if (given === null || holds.length === 0) {
    throw new ProblemError('validation_failed', {
      detail: 'No message was selected.',
      fix: 'Go back, tick the messages to decide, and choose a button.',
    });
  }
  // Each hold names the content that was listed.
  const faults = holds.flatMap((hold) => findFormFaults({ ...given, contentHash: hold.split(' ')[1] || undefined }));
  if (faults.length > 0) {
    const problem = request.problemOf(formFault(faults.slice(0, 1)));
    if (isFromScript(request.form)) {
      return scriptResult(problem.status, { isDone: false, message: problem.detail, href: APPROVALS });
    }
    return await showInbox(request, problem);
  }
  const results: Result[] = [];
  for (const hold of holds) results.push(await decideOne(request, hold, given));
  return respond(request, results, given.decision);
}

async function decideOne(request: PageRequest, hold: string, given: GivenDecision): Promise<Result> {
  const [id = '', contentHash = ''] = hold.split(' ');
  const body = { ...given, contentHash };
  const result = await request.attempt('approvals.decide', { params: { id }, body }).catch(whenConfirmed);
  if (result === null) return { id, isDone: false, words: 'It needs your passkey: approve it on its own page.' };
  if (result.ok) {
    const { outcome, status } = result.body;
    return { id, isDone: outcome !== 'failed', isWaiting: status === 'pending', words: decidedWords(result.body) };
  }
  return { id, isDone: false, words: obstacle(result.problem) };
}

/** A passkey confirms one message, which its approver has looked at. */
function whenConfirmed(error: unknown): null {
  if (error instanceof ConfirmationNeeded) return null;
  throw error;
}

function obstacle({ code, detail }: Problem): string {
  if (code === 'approval_already_decided') return 'It was already decided.';
  return code === 'approval_changed' ? 'It has changed since the list was shown.' : detail;
}

function respond(request: PageRequest, results: readonly Result[], decision: 'approve' | 'reject'): PageResult {
  const done = results.filter(({ isDone }) => isDone).length;
  const verb = decision === 'approve' ? 'approved' : 'rejected';
  const words = `${done} of ${results.length} decisions ${done === 1 ? 'was' : 'were'} recorded.`;
  if (done === results.length) {
    const message = done === 1 ? (results[0]?.words ?? words) : allDone(results, verb);
    if (isFromScript(request.form)) return scriptResult(200, { isDone: true, message, href: APPROVALS });
    return redirect(APPROVALS, message);
  }
  const rows = results.map(
    ({ id, isDone, words: said }) =>
      html`<li class="row"><span>${isDone ? badge('Done', 'good') : badge('Not done', 'bad')} ${revealed(said)}</span><a class="end small" href="${pathOf(id)}">View</a></li>`,
  );
  return page({
    ...{ title: 'What was decided', section: 'approvals', watch: [] },
    content: html`${pageHeader({ title: 'What was decided', lead: words, crumbs: [{ label: 'Approvals', href: APPROVALS }], actions: linkButton('Back to the inbox', APPROVALS) })}
${flushCard(null, html`<ul class="plain results">${rows}</ul>`)}`,
  });
}

/** What was done with all of several messages. */
function allDone(results: readonly Result[], verb: string): string {
  const waiting = results.filter(({ isWaiting }) => isWaiting === true).length;
  if (waiting === 0) return `${results.length} messages were ${verb}.`;
  const done = results.length - waiting;
  const recorded = `Your approval of ${waiting === 1 ? '1 message' : `${waiting} messages`} is recorded; others must approve too.`;
  return done === 0 ? recorded : `${done === 1 ? '1 message was' : `${done} messages were`} ${verb}. ${recorded}`;
}
