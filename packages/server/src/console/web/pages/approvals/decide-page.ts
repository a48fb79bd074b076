import { type Approval, type DecidedApproval, type FieldProblem, type Problem, votesInWords } from '@postrider/core';
import { findFormFaults, readDecisionForm } from '../../../../approvals/web/decision-form.ts';
import { html } from '../../../../html/page-markup.ts';
import { ProblemError } from '../../../../problem.ts';
import { notice } from '../../../../ui/components/surfaces.ts';
import { type PageResult, redirect } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import type { PageRequest } from '../../page-request.ts';
import { readDecider } from './decider-words.ts';
import { holdPage } from './hold-page.ts';
import { APPROVALS, pathOf } from './paths.ts';
import { fieldsIn, isFromScript, scriptResult } from './script-result.ts';

/** Approves or rejects one message, exactly as it was shown. */
export async function decideHold(request: PageRequest): Promise<PageResult> {
  const given = readDecisionForm(fieldsIn(request.form));
  if (given === null) throw new ProblemError('validation_failed', { detail: 'The form names no decision.' });
  const id = request.param('id');
  const faults = findFormFaults(given);
  if (faults.length > 0) return await notDecided(request, id, request.problemOf(formFault(faults)));
  const result = await request.attempt('approvals.decide', { params: { id }, body: given });
  if (result.ok) return decided(request, result.body);
  return await notDecided(request, id, result.problem);
}

/** What the form lacks, for the page that shows it again. */
export function formFault(errors: readonly FieldProblem[]): ProblemError {
  return new ProblemError('validation_failed', {
    detail: `Nothing was decided. ${errors[0]?.message ?? ''}`,
    fix: 'Look at the message, complete the form, and decide again.',
    errors: [...errors],
  });
}

/** Leads on after a decision: to the inbox, or to the page that says why it could not be sent. */
export function decided(request: PageRequest, approval: DecidedApproval): PageResult {
  const hasFailed = approval.outcome === 'failed';
  const words = decidedWords(approval);
  if (isFromScript(request.form)) {
    return scriptResult(200, { isDone: !hasFailed, message: words, href: pathOf(approval.id) });
  }
  return redirect(hasFailed ? pathOf(approval.id) : APPROVALS, words);
}

/** What became of it, in one sentence. */
export function decidedWords(approval: DecidedApproval): string {
  const { subject, status, outcome, problem, scheduledAt } = approval;
  const name = subject === null ? 'The message' : `“${subject.slice(0, 100)}”`;
  const progress = votesInWords(approval);
  if (progress !== null) return `Your approval of ${name} is recorded. ${progress}`;
  if (status === 'rejected') return `${name} was rejected and is not sent.`;
  if (outcome === 'failed') return `${name} was approved, but cannot be sent: ${problem?.detail ?? ''}`;
  return scheduledAt === null
    ? `${name} was approved and is being sent.`
    : `${name} was approved and is sent at its time.`;
}

/** Shows the hold as it is now, with what happened instead. */
export async function notDecided(request: PageRequest, id: string, problem: Problem): Promise<PageResult> {
  const read = await request.attempt('approvals.get', { params: { id } });
  const approval = read.ok ? read.body : null;
  const words = approval === null ? problem.detail : await obstacleWords(request, approval, problem);
  if (isFromScript(request.form)) {
    return scriptResult(problem.status, { isDone: false, message: words, href: pathOf(id) });
  }
  if (approval === null) throw new ProblemError('not_found', { detail: problem.detail });
  const said = CONFLICTS.has(problem.code)
    ? notice('warn', 'Nothing was decided', html`${words}`)
    : problemNotice(problem);
  return await holdPage(request, approval, { status: problem.status, notice: said, errors: problem.errors ?? [] });
}

const CONFLICTS = new Set(['approval_already_decided', 'approval_changed']);

async function obstacleWords(request: PageRequest, approval: Approval, problem: Problem): Promise<string> {
  if (problem.code === 'approval_changed') return 'The message has changed since it was shown. Look at it again.';
  if (problem.code !== 'approval_already_decided') return `${problem.detail} ${problem.fix}`;
  const who = (await readDecider(request, approval)) ?? 'Someone';
  switch (approval.status) {
    case 'approved':
      return `${who} approved it already.`;
    case 'rejected':
      return `${who} rejected it already.`;
    case 'withdrawn':
      return 'Its sender withdrew it.';
    default:
      return 'It expired before you decided.';
  }
}
