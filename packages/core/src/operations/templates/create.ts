import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import {
  templateContentFields,
  templateNameSchema,
  templateNoteSchema,
  templateSchema,
  templateSlugSchema,
} from '../../schemas/template.ts';

export const createTemplate = defineOperation({
  id: 'templates.create',
  method: 'POST',
  path: '/templates',
  access: { kind: 'key', scope: 'templates:write' },
  reach: 'shapes-outbound',
  heldAs: 'draft',
  summary: 'Create a template',
  description:
    'Stores a Liquid template as version 1. A held key (in approval mode) or a test key makes a draft: `currentVersion` is null and no one can send the template until an approver publishes it with `POST /templates/:id/publish`. It needs `html`, `text` or both. Without a `slug`, it is made from the name. A slug that exists is 409 `already_exists`. Liquid that cannot be parsed is 422, with the part as path and the line in the message. There are no partials: `include`, `render` and `layout` are unknown tags.',
  effect: 'create',
  body: z
    .strictObject({
      slug: templateSlugSchema.optional(),
      name: templateNameSchema,
      ...templateContentFields,
      note: templateNoteSchema.nullable().optional().describe('What this version changes, for the version history.'),
    })
    .superRefine(({ html, text }, context) => {
      if (html || text) return;
      const message = 'needs a body: `html`, `text` or both';
      context.addIssue({ code: 'custom', path: ['html'], message, params: { code: 'required' } });
    }),
  bodyBytes: LIMITS.templateBodyBytes,
  status: 201,
  response: 'json',
  output: templateSchema,
  errors: ['already_exists', 'too_many_held'],
  mcp: {
    tool: 'create_template',
    toolset: 'templates',
    title: 'Create a template',
    description:
      'Stores a new Liquid email template and returns it with the variables it uses. It is published at once, except from a held key or a test key: then it is a draft until an approver publishes it. Values are HTML-escaped in `html`. Not for changing one that exists: use update_template. Check it with render_template.',
  },
  cli: {
    command: 'templates create',
    description:
      'Stores a Liquid template as version 1. It needs --html, --text or both; without --slug, the slug is made from the name. A held key (in approval mode) or a test key makes a draft, which no one can send until an approver publishes it with templates publish. A slug that exists fails with already_exists; Liquid that cannot be parsed fails with validation_failed, which names the part and the line.',
    examples: ['postrider templates create --name Welcome --subject "Hello {{ name }}" --html @welcome.html'],
  },
});
