import { storeTemplate } from '../../templates/change-template.ts';
import { slugOf } from '../../templates/template-reference.ts';
import type { Handler } from '../context.ts';
import { makerOf, tooManyDrafts } from './draft-problems.ts';
import { slugTaken } from './slug-taken.ts';
import { inspectParts } from './template-problems.ts';
import { readTemplateRecord } from './template-record.ts';

/** Stores a template as its version 1, which is a draft if a key in approval mode, a test key or a paused key writes it. */
export const createTemplate: Handler<'templates.create'> = async ({ body }, context) => {
  const { database } = context.services;
  const { name, subject = null, html = null, text = null, note = null } = body;
  const content = { subject, html, text };
  const variables = await inspectParts(context, content);
  const now = database.clock.now();
  const id = database.ids.next(now);
  const slug = body.slug ?? slugOf(name, id);
  const template = { id, slug, name, ...content, variables, note };
  const verdict = await storeTemplate(database.sql, makerOf(context, now), template);
  if (verdict === 'slug_taken') throw await slugTaken(context, slug);
  if (verdict === 'too_many_drafts') throw tooManyDrafts();
  return { body: await readTemplateRecord(context, id, 1) };
};
