import { ProblemError } from '../../problem.ts';
import { publishDraft } from '../../templates/decide-draft.ts';
import { findUnconfirmed } from '../confirm-change.ts';
import type { Handler } from '../context.ts';
import { draftDecisionOf } from './draft-decision.ts';
import { isRestricted, toDraftProblem } from './draft-problems.ts';
import { readTemplateRecord } from './template-record.ts';

/** Makes a draft the current version. */
export const publishTemplate: Handler<'templates.publish'> = async ({ params, body }, context) => {
  const { caller } = context;
  const { database } = context.services;
  if (isRestricted(caller)) {
    throw new ProblemError('self_approval_forbidden', {
      detail: 'A key that can only write drafts cannot publish them.',
    });
  }
  const confirmed = await context.readConfirmed();
  const decision = draftDecisionOf(params.id, body, context);
  const verdict = await publishDraft(database.sql, decision, (draft) => {
    const detail = 'Publishing a draft approves what its key will send.';
    const page = `/console/approvals/drafts/${draft.slug}/${draft.version}`;
    const what = [draft.contentHash];
    return findUnconfirmed(context, confirmed, {
      operation: 'templates.publish',
      target: draft.id,
      what,
      detail,
      page,
    });
  });
  if (verdict.kind === 'unconfirmed') throw verdict.refusal;
  if (verdict.kind === 'discarded') throw new Error('a draft that was to be published was discarded');
  if (verdict.kind !== 'published') throw toDraftProblem(verdict, params.id, body.version ?? null);
  return { body: await readTemplateRecord(context, verdict.id, verdict.version) };
};
