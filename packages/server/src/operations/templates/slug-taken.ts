import { nameOperation } from '@postrider/core';
import { readTemplateSource } from '../../db/queries/template-records.ts';
import { ProblemError } from '../../problem.ts';
import { toTemplateName } from '../../templates/template-reference.ts';
import type { KeyedContext } from '../context.ts';
import { visibleDraftsOf } from './template-record.ts';

/**
 * The refusal of a slug that the account already uses. If only a draft has it, a caller that may see the draft learns how to free the slug.
 */
export async function slugTaken({ services: { database }, caller }: KeyedContext, slug: string): Promise<ProblemError> {
  const choice = { version: null, draftsOf: visibleDraftsOf(caller) };
  const found = await readTemplateSource(database.sql, caller.accountId, toTemplateName(slug), choice);
  const errors = [{ path: 'slug', code: 'taken', message: `${slug} is taken` }];
  if (found?.status !== 'draft') {
    return new ProblemError('already_exists', {
      detail: `The account already has a template with the slug ${slug}.`,
      fix: `Use another \`slug\`, or change the existing template with ${nameOperation('templates.update', { id: slug })}.`,
      errors,
    });
  }
  const { version, createdBy } = found;
  return new ProblemError('already_exists', {
    detail: `A draft that waits for an approver has the slug ${slug}: version ${version}, written by the key ${createdBy}. Nothing was published under it.`,
    fix: `Discard the draft with ${nameOperation('templates.discard', { id: slug })}, or publish it with ${nameOperation('templates.publish', { id: slug })}. Then try again, or change the template with ${nameOperation('templates.update', { id: slug })}.`,
    errors,
  });
}
