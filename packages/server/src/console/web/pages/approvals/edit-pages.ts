import type { Approval } from '@postrider/core';
import { EDIT_COMPARISON, sizeOfComparison } from '../../../../approvals/web/edit-comparison.ts';
import { fieldsOf, readEditFields, recipientsIn } from '../../../../approvals/web/edit-form.ts';
import { checkEdits, comparisonPage, type EditPage, editPage } from '../../../../approvals/web/edit-pages.ts';
import { html } from '../../../../html/page-markup.ts';
import { ProblemError } from '../../../../problem.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { type PageResult, page, redirect } from '../../console-page.ts';
import type { PageRequest } from '../../page-request.ts';
import { decided, notDecided } from './decide-page.ts';
import { readForecast } from './forecast.ts';
import { statusOf } from './hold-page.ts';
import { readNeighbors } from './neighbors.ts';
import { APPROVALS, pathOf } from './paths.ts';
import { fieldsIn, isFromScript } from './script-result.ts';

/** The form that changes a held message before it is approved. */
export async function showEdit(request: PageRequest): Promise<PageResult> {
  const approval = await read(request);
  if (statusOf(approval, request.now) !== 'pending') return redirect(pathOf(approval.id));
  return toPage(approval, editPage({ approval, base: pathOf(approval.id), fields: fieldsOf(approval) }));
}

/** Shows what differs, and approves it in the step after that. What was typed stays at every refusal. */
export async function edit(request: PageRequest): Promise<PageResult> {
  const approval = await read(request);
  const { id } = approval;
  const form = fieldsIn(request.form);
  const fields = readEditFields(form);
  const editing = { approval, base: pathOf(id), fields };
  const refuse = (refused: Parameters<typeof editPage>[1]) => toPage(approval, editPage(editing, refused));
  const step = form.get('step');
  if (step === 'change') return refuse(null);
  const checked = checkEdits(editing);
  if (!checked.ok)
    return refuse({ status: 422, detail: 'The message cannot be sent with these changes.', errors: checked.errors });
  if (step !== 'approve') {
    const owner = { accountId: request.caller.accountId, keyId: approval.keyId };
    const result = await request.services.threads.run(owner, EDIT_COMPARISON, editing, sizeOfComparison(editing));
    if (result.kind !== 'done')
      throw new ProblemError('unavailable', { detail: 'Too many large messages are being read.' });
    const [{ next }, forecast] = await Promise.all([
      readNeighbors(request, approval),
      readForecast(request, id, recipientsIn(fields)),
    ]);
    return toPage(
      approval,
      comparisonPage(editing, result.output, { next, mayRemember: true, forecast, passkeyHost: request.passkeyHost }),
    );
  }
  const given = { ...checked.given, ...(form.has('remember') ? { remember: true as const } : {}) };
  const result = await request.attempt('approvals.decide', { params: { id }, body: given });
  if (result.ok) return decided(request, result.body);
  // A conflict shows the message as it is now; other refusals keep the form, because they can be corrected.
  const { problem } = result;
  if (problem.status === 409 || isFromScript(request.form)) return await notDecided(request, id, problem);
  const { status, detail, fix, errors = [] } = problem;
  return refuse({ status, detail, fix, errors });
}

async function read(request: PageRequest): Promise<Approval> {
  return await request.call('approvals.get', { params: { id: request.param('id') } });
}

function toPage({ id, subject }: Approval, { title, content, status }: EditPage): PageResult {
  const crumbs = [
    { label: 'Approvals', href: APPROVALS },
    { label: subject.slice(0, 60), href: pathOf(id) },
  ];
  return page({ title, section: 'approvals', status, content: html`${pageHeader({ title, crumbs })}${content}` });
}
