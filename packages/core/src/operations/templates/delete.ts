import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { templateReferenceParams, templateSchema } from '../../schemas/template.ts';

export const deleteTemplate = defineOperation({
  id: 'templates.delete',
  method: 'DELETE',
  path: '/templates/:id',
  access: { kind: 'key', scope: 'templates:write' },
  reach: 'shapes-outbound',
  summary: 'Delete a template',
  description:
    'Removes a template with all its versions and returns its last state. Accepted messages keep their rendered bodies; later sends that name it are 422 `template_not_found`. Its slug can be used again.',
  effect: 'delete',
  params: templateReferenceParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: templateSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'delete_template',
    toolset: 'templates',
    title: 'Delete a template',
    description:
      'Deletes a template with all its versions, permanently; later sends that name it are refused. Ask the user first. Returns its last state. Not for going back to earlier content: use update_template with rollbackTo.',
  },
  cli: {
    command: 'templates delete',
    description:
      'Removes a template with all its versions. Accepted messages keep their rendered content; later sends that name it fail with template_not_found. Its slug can be used again.',
    positional: ['id'],
    examples: ['postrider templates delete welcome'],
  },
});
