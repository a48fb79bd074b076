import { mergeVariables } from '../../templates/template-variables.ts';
import type { Handler } from '../context.ts';
import { renderContent } from './render-content.ts';
import { inspectParts } from './template-problems.ts';

/** Renders content that is not stored. Stores and sends nothing. */
export const previewTemplate: Handler<'templates.preview'> = async ({ body }, context) => {
  const { subject = null, html = null, text = null, variables = {} } = body;
  const source = { subject, html, text };
  const rendered = await renderContent(context, { key: null, source, variables });
  return { body: { ...rendered, variables: mergeVariables(await inspectParts(context, source)) } };
};
