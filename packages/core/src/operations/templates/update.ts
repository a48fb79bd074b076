import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import {
  templateContentFields,
  templateNameSchema,
  templateNoteSchema,
  templateReferenceParams,
  templateSchema,
  templateSlugSchema,
  templateVersionNumberSchema,
} from '../../schemas/template.ts';

const CONTENT_NAMES = ['subject', 'html', 'text'] as const;

export const updateTemplate = defineOperation({
  id: 'templates.update',
  method: 'PATCH',
  path: '/templates/:id',
  access: { kind: 'key', scope: 'templates:write' },
  reach: 'shapes-outbound',
  heldAs: 'draft',
  summary: 'Change a template',
  description:
    'A change of `subject`, `html` or `text` makes a new version, which becomes the current one; parts that you leave out stay unchanged, and null removes a part. Versions never change. `rollbackTo` makes a new version that equals an earlier one. `name` and `slug` belong to the template and make no version. An empty object changes nothing. A held key (in approval mode) or a test key makes a draft: the current version stays until an approver publishes the draft with `POST /templates/:id/publish`. Such a key has one draft of a template: its next change builds on it and replaces it. It cannot change `name` or `slug`. With `baseVersion`, nothing changes unless it is still the current version or is the pending draft of this key.',
  effect: 'update',
  params: templateReferenceParams,
  body: z
    .strictObject({
      slug: templateSlugSchema.optional(),
      name: templateNameSchema.optional(),
      ...templateContentFields,
      rollbackTo: templateVersionNumberSchema.optional().describe('The version that the new one is to equal.'),
      baseVersion: templateVersionNumberSchema
        .optional()
        .describe(
          'The `version` that your change is based on: the current version, or the pending draft of this key, which the change replaces. If it is neither, nothing is stored, and the error is `approval_changed`.',
        ),
      note: templateNoteSchema.nullable().optional().describe('What this version changes, for the version history.'),
    })
    .superRefine((body, context) => {
      const fault = (path: string[], code: string, message: string) =>
        context.addIssue({ code: 'custom', path, message, params: { code } });
      const content = CONTENT_NAMES.filter((name) => body[name] !== undefined);
      const isRollback = body.rollbackTo !== undefined;
      if (isRollback && content.length > 0) {
        fault(['rollbackTo'], 'conflict', 'is given beside `subject`, `html` or `text`; give one or the other');
      }
      if (body.note !== undefined && !isRollback && content.length === 0) {
        fault(['note'], 'conflict', 'belongs to a new version, and nothing here makes one');
      }
      const { baseVersion, ...changes } = body;
      if (baseVersion !== undefined && Object.values(changes).every((value) => value === undefined)) {
        fault([], 'required', 'names nothing to change');
      }
    }),
  bodyBytes: LIMITS.templateBodyBytes,
  status: 200,
  response: 'json',
  output: templateSchema,
  errors: ['not_found', 'already_exists', 'approval_changed', 'too_many_held'],
  mcp: {
    tool: 'update_template',
    toolset: 'templates',
    title: 'Change or roll back a template',
    description:
      'Changes the parts you pass: new content makes a new version that later sends use, and `rollbackTo` one that equals an earlier version. From a held key or a test key it is a draft: sends use the current version until an approver publishes the draft. Not for new templates: use create_template. Earlier versions stay. Returns the template.',
  },
  cli: {
    command: 'templates update',
    description:
      'Changes a template. A new subject, HTML or text makes a new version, which is the current one from then on; what you do not pass stays unchanged. --rollback-to makes a new version that equals an earlier one, and --name and --slug make none. A held key (in approval mode) or a test key makes a draft, which an approver publishes with templates publish; such a key has one draft of a template, which its next change replaces, and it cannot change --name or --slug.',
    positional: ['id'],
    examples: ['postrider templates update welcome --html @welcome.html --note "New footer"'],
  },
});
