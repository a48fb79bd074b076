import { readTemplateSource } from '../../db/queries/template-records.ts';
import { ProblemError } from '../../problem.ts';
import { BODY_TEXT } from '../../sending/content/body-text.ts';
import { toTemplateName } from '../../templates/template-reference.ts';
import type { Handler } from '../context.ts';
import { faultyTemplate, rendererBusy } from './template-problems.ts';
import { templateNotFound, visibleDraftsOf } from './template-record.ts';

/** Renders a template, stored or with parts that are not stored yet, drafts included. Sends nothing. */
export const renderTemplate: Handler<'templates.render'> = async (
  { params, body },
  { services: { database, sending, threads }, caller },
) => {
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
  const { renderer } = sending.content.templates;
  const rendering = await renderer.render(caller.accountId, { key, source: { subject, html, text }, variables });
  if (!rendering.ok) {
    if ('busy' in rendering) throw rendererBusy();
    throw faultyTemplate('template_render_failed', rendering.faults, 'render_failed');
  }
  const { html: shown, text: written } = rendering;
  const owner = { accountId: caller.accountId, keyId: caller.keyId };
  const bodies = { html: shown, text: written };
  const derived = await threads.run(owner, BODY_TEXT, bodies, shown?.length ?? 0);
  if (derived.kind === 'busy') throw rendererBusy();
  return {
    body: {
      subject: rendering.subject,
      html: rendering.html,
      text: derived.output,
      version: stored.version,
      status: stored.status,
      missing: [...rendering.missing],
    },
  };
};
