import { readTemplateSource } from '../../db/queries/template-records.ts';
import { changeTemplate } from '../../templates/change-template.ts';
import { toTemplateName } from '../../templates/template-reference.ts';
import type { Handler } from '../context.ts';
import { makerOf, outdatedBase, renamedByDraft, tooManyDrafts } from './draft-problems.ts';
import { slugTaken } from './slug-taken.ts';
import { inspectParts, invalidField } from './template-problems.ts';
import { readTemplateRecord, templateNotFound, visibleDraftsOf } from './template-record.ts';

/** Changes a template. A change of its content creates a version, or a draft of one. */
export const updateTemplate: Handler<'templates.update'> = async ({ params, body }, context) => {
  const { caller } = context;
  const { database } = context.services;
  const { slug = null, name = null, subject, html, text, rollbackTo = null, note = null, baseVersion } = body;
  const content = {
    ...(subject === undefined ? {} : { subject }),
    ...(html === undefined ? {} : { html }),
    ...(text === undefined ? {} : { text }),
  };
  const variables = Object.keys(content).length === 0 ? {} : await inspectParts(context, content);
  const template = toTemplateName(params.id);
  const draftsOf = visibleDraftsOf(caller);
  const choice = { version: null, draftsOf };
  if ((await readTemplateSource(database.sql, caller.accountId, template, choice)) === null) {
    throw templateNotFound(params.id);
  }
  // As with every other record. Otherwise a held key would make an empty draft.
  if (Object.values(body).every((value) => value === undefined)) {
    return { body: await readTemplateRecord(context, params.id) };
  }
  const maker = makerOf(context, database.clock.now());
  const base = baseVersion === undefined ? null : { version: baseVersion, draftsOf };
  const edit = { slug, name, content, variables, rollbackTo, note, base };
  const verdict = await changeTemplate(database.sql, maker, template, edit);
  switch (verdict.kind) {
    case 'changed':
      return { body: await readTemplateRecord(context, verdict.id, verdict.version) };
    case 'not_found':
      throw templateNotFound(params.id);
    case 'version_not_found':
      throw invalidField('rollbackTo', 'not_found', `there is no version ${rollbackTo}`);
    case 'version_is_draft':
      throw invalidField('rollbackTo', 'unpublished', `version ${rollbackTo} is a draft: an approver publishes it`);
    case 'outdated':
      throw outdatedBase(verdict.version);
    case 'renamed_by_draft':
      throw renamedByDraft();
    case 'too_many_drafts':
      throw tooManyDrafts();
    case 'without_body':
      throw invalidField(html === undefined ? 'text' : 'html', 'required', 'would leave the template without a body');
    case 'slug_taken':
      throw await slugTaken(context, slug ?? '');
  }
};
