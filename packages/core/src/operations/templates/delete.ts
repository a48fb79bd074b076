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
    'Removes a template with all its versions and answers it as it was last. Messages that were accepted keep their rendered bodies; later sends that name it are 422 `template_not_found`. Its slug is free again.',
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
      'Removes a template with all its versions, for good; later sends that name it are refused. Not for going back to earlier content: use update_template with rollbackTo. Ask the user first. Answers it as it was last.',
  },
  cli: { command: 'templates delete', positional: ['id'], examples: ['postrider templates delete welcome'] },
});
