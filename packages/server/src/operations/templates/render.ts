import { readTemplateSource } from '../../db/queries/template-records.ts';
import { ProblemError } from '../../problem.ts';
import { toTemplateName } from '../../templates/template-reference.ts';
import type { Handler } from '../context.ts';
import { renderContent } from './render-content.ts';
import { templateNotFound, visibleDraftsOf } from './template-record.ts';

/** Renders a template, stored or with parts that are not stored yet, drafts included. Sends nothing. */
export const renderTemplate: Handler<'templates.render'> = async ({ params, body }, context) => {
  const { services, caller } = context;
  const { database } = services;
  const { variables = {}, version = null, ...draft } = body;
  const name = toTemplateName(params.id);
  const draftsOf = visibleDraftsOf(caller);
  const stored = await readTemplateSource(database.sql, caller.accountId, name, { version, draftsOf });
  if (stored === null && version !== null) {
    const known = await readTemplateSource(database.sql, caller.accountId, name, { version: null, draftsOf });
    if (known !== null) {
      throw new ProblemError('template_not_found', {
        detail: `The template ${known.slug} has no version ${version}.`,
        errors: [{ path: 'version', code: 'not_found', message: `there is no version ${version}` }],
      });
    }
  }
  if (stored === null) throw templateNotFound(params.id);
  const { subject = stored.subject, html = stored.html, text = stored.text } = draft;
  const key = Object.keys(draft).length === 0 ? `${stored.id}@${stored.version}` : null;
  const rendered = await renderContent(context, { key, source: { subject, html, text }, variables });
  return { body: { ...rendered, version: stored.version, status: stored.status } };
};
