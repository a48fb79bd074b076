import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { templateContentFields, templatePreviewSchema } from '../../schemas/template.ts';
import { variablesSchema } from '../../schemas/template-variables.ts';

export const previewTemplate = defineOperation({
  id: 'templates.preview',
  method: 'POST',
  path: '/templates/render',
  // A template can have the slug `render`.
  sharesPathWith: '/templates/:id',
  access: { kind: 'key', scope: 'templates:read' },
  reach: 'none',
  summary: 'Render content that is not stored',
  description: `Renders Liquid content that is not stored as a template, with sample values. Nothing is stored or sent. Returns the variables of the content and, in \`missing\`, those without a value. It needs \`html\`, \`text\` or both. The limits are those of stored templates: ${LIMITS.templateRenderMs} ms and ${LIMITS.templateRenderMegabytes} MB. Faults are 422 \`template_render_failed\`, with the part and the line. To preview a change of a stored template, use \`POST /templates/:id/render\`.`,
  effect: 'read',
  body: z
    .strictObject({ ...templateContentFields, variables: variablesSchema.optional() })
    .superRefine(({ html, text }, context) => {
      if (html || text) return;
      const message = 'needs a body: `html`, `text` or both';
      context.addIssue({ code: 'custom', path: ['html'], message, params: { code: 'required' } });
    }),
  bodyBytes: LIMITS.templateBodyBytes,
  status: 200,
  response: 'json',
  output: templatePreviewSchema,
  errors: ['template_render_failed'],
  mcp: {
    tool: 'preview_template',
    toolset: 'templates',
    title: 'Preview template content',
    description:
      'Renders Liquid content with sample variables before you store it with create_template. Nothing is stored or sent. Not for stored templates: use render_template. Returns subject, html, text, the variables it uses, and those that are `missing`.',
  },
  // `postrider templates preview` renders files with it.
  cli: null,
});
