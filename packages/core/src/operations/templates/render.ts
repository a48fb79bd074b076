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
  description: `Renders a template with sample values and sends nothing. Missing variables are rendered as empty and listed in \`missing\`; a send without them would be refused. Pass \`subject\`, \`html\` or \`text\` to preview a change before you store it. To preview a draft, pass its \`version\`. Rendering must finish within ${LIMITS.templateRenderMs} ms and ${LIMITS.templateRenderMegabytes} MB, or is 422 \`template_render_failed\`. \`{{unsubscribe_url}}\` stays unchanged: it is replaced by each recipient's link at delivery.`,
  effect: 'read',
  params: templateReferenceParams,
  body: z.strictObject({
    variables: variablesSchema.optional(),
    version: templateVersionNumberSchema.optional().describe('Version number. Default: the current version.'),
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
      'Renders a stored template with variables, without sending. Returns subject, html, text and the `missing` variables. Use it before send_email. Not for a template’s source: use get_template.',
    // Only callers that write templates need to render unsaved content.
    hides: ['subject', 'html', 'text'],
  },
  cli: {
    command: 'templates render',
    description:
      'Renders a template with sample values and sends nothing. Missing variables are rendered as empty and listed; a send without them would be refused. Pass --subject, --html or --text to preview a change before you store it, or --version to preview a draft. Rendering that takes more than 1 s or 64 MB fails with template_render_failed.',
    positional: ['id'],
    examples: [`postrider templates render welcome --variables '{"name":"Ada"}'`],
  },
});
