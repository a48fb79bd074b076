import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { integerInQuery } from '../../schemas/page.ts';
import { templateReferenceParams, templateSchema } from '../../schemas/template.ts';

export const getTemplate = defineOperation({
  id: 'templates.get',
  method: 'GET',
  path: '/templates/:id',
  access: { kind: 'key', scope: 'templates:read' },
  reach: 'none',
  summary: 'Read one template',
  description:
    'Returns a template by its id or slug, in its current version or the one named by `version`, with its version history and its variables. `version` can also name a draft. A template with no published version shows its newest draft.',
  effect: 'read',
  params: templateReferenceParams,
  query: z.strictObject({
    version: integerInQuery(1, 999_999_999).optional().describe('Version number. Default: the current version.'),
  }),
  status: 200,
  response: 'json',
  output: templateSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'get_template',
    toolset: null,
    title: 'Read a template',
    description:
      'Reads one email template by id or slug. Returns its Liquid subject and bodies, variables and versions; long bodies are cut. Not for rendering it with values: use render_template.',
  },
  cli: {
    command: 'templates get',
    description:
      'Shows a template by its id or slug, in its current version or in that of --version, with its version history and its variables. --version can also name a draft. A template with no published version shows its newest draft.',
    positional: ['id'],
    examples: ['postrider templates get welcome', 'postrider templates get welcome --version 3 --json'],
  },
});
