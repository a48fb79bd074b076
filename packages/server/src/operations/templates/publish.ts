import { ProblemError } from '../../problem.ts';
import { publishDraft } from '../../templates/decide-draft.ts';
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
  const verdict = await publishDraft(database.sql, draftDecisionOf(params.id, body, context));
  if (verdict.kind === 'discarded') throw new Error('a draft that was to be published was discarded');
  if (verdict.kind !== 'published') throw toDraftProblem(verdict, params.id, body.version ?? null);
  return { body: await readTemplateRecord(context, verdict.id, verdict.version) };
};
