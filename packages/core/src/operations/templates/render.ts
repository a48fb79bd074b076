import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import {
  renderedTemplateSchema,
  templateContentFields,
  templateReferenceParams,
  templateVersionNumberSchema,
} from '../../schemas/template.ts';
import { variablesSchema } from '../../schemas/template-variables.ts';

export const renderTemplate = defineOperation({
  id: 'templates.render',
  method: 'POST',
  path: '/templates/:id/render',
  access: { kind: 'key', scope: 'templates:read' },
  reach: 'none',
  summary: 'Render a template',
  description: `Renders a template with sample values and sends nothing. Variables that are missing are rendered as nothing and named in \`missing\`; a send with them missing would be refused. \`subject\`, \`html\` and \`text\` are rendered in place of the stored ones, to see a change before it is stored. A draft can be rendered as a preview, by its \`version\`. Rendering ends within ${LIMITS.templateRenderMs} ms and ${LIMITS.templateRenderMegabytes} MB, or is 422 \`template_render_failed\`. \`{{unsubscribe_url}}\` stays as it is: each recipient's link is put in at delivery.`,
  effect: 'read',
  params: templateReferenceParams,
  body: z.strictObject({
    variables: variablesSchema.optional(),
    version: templateVersionNumberSchema.optional().describe('A version; the current one unless given.'),
    ...templateContentFields,
  }),
  bodyBytes: LIMITS.templateBodyBytes,
  status: 200,
  response: 'json',
  output: renderedTemplateSchema,
  errors: ['not_found', 'template_not_found', 'template_render_failed'],
  mcp: {
    tool: 'render_template',
    toolset: null,
    title: 'Render a template',
    description:
      'Shows what a stored template becomes with these variables, and names those still missing. Not for sending: it sends nothing. Use it before send_email. Answers subject, html, text and `missing`.',
    // Drafts are for those who write templates.
    hides: ['subject', 'html', 'text'],
  },
  cli: {
    command: 'templates render',
    positional: ['id'],
    examples: [`postrider templates render welcome --variables '{"name":"Ada"}'`],
  },
});
