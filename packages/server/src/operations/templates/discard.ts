import { discardDraft } from '../../templates/decide-draft.ts';
import type { Handler } from '../context.ts';
import { draftDecisionOf } from './draft-decision.ts';
import { isRestricted, toDraftProblem } from './draft-problems.ts';
import { toDraftRecord } from './draft-record.ts';

/** Removes a draft: its author withdraws it, or an approver rejects it. */
export const discardTemplateDraft: Handler<'templates.discard'> = async ({ params, body }, context) => {
  const { caller } = context;
  const { database } = context.services;
  const mayDecide = caller.scopes.includes('approvals:decide') && !isRestricted(caller);
  const verdict = await discardDraft(database.sql, draftDecisionOf(params.id, body, context), mayDecide);
  if (verdict.kind === 'published') throw new Error('a draft that was to be discarded was published');
  if (verdict.kind !== 'discarded') throw toDraftProblem(verdict, params.id, body.version ?? null);
  return { body: toDraftRecord(verdict.draft) };
};
