import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';
import { templateSchema } from '../../schemas/template.ts';

export const listTemplates = defineOperation({
  id: 'templates.list',
  method: 'GET',
  path: '/templates',
  access: { kind: 'key', scope: 'templates:read' },
  reach: 'none',
  summary: 'List templates',
  description:
    'The templates of the account in their current versions, newest first, in keyset pages: follow `nextCursor` until it is null. A page of large templates can contain fewer than `limit`.',
  effect: 'read',
  query: z.strictObject({ limit: limitSchema, cursor: cursorSchema }),
  status: 200,
  response: 'json',
  output: z.object({ templates: z.array(templateSchema), ...pageFields }).meta({ id: 'TemplatePage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_templates',
    toolset: null,
    title: 'List templates',
    description:
      'Lists stored email templates, newest first, 20 at a time. Returns rows with slug, subject and variables, and a cursor. Send one with send_email (`template`, `variables`). Not for bodies: use get_template.',
  },
  cli: {
    command: 'templates list',
    description:
      'Lists the templates of the account in their current versions, newest first. For the next page, repeat the command with --cursor. A page of large templates can contain fewer than --limit.',
    examples: ['postrider templates list'],
  },
});
