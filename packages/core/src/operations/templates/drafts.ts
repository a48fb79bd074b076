import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';
import { templateDraftSchema } from '../../schemas/template-draft.ts';

export const listTemplateDrafts = defineOperation({
  id: 'templates.drafts',
  method: 'GET',
  // Approvers find drafts beside the held sends.
  path: '/keys/approvals/drafts',
  access: { kind: 'key', scope: null },
  reach: 'none',
  summary: 'List template drafts',
  description:
    'The template drafts that no approver has published or discarded, newest first, in keyset pages, each with what it would change in the current version. A key sees its own drafts; with the scope `approvals:read` or `approvals:decide` those of the whole account. A page of very large bodies ends early: follow `nextCursor`.',
  effect: 'read',
  query: z.strictObject({ limit: limitSchema, cursor: cursorSchema }),
  status: 200,
  response: 'json',
  output: z.object({ drafts: z.array(templateDraftSchema), ...pageFields }).meta({ id: 'TemplateDraftPage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_template_drafts',
    toolset: 'templates',
    title: 'List template drafts',
    description:
      'Lists template drafts that no one can send until an approver publishes them, newest first, 20 at a time. Not for publishing: only approvers do that. Not for content: use get_template with `version`. Returns rows that name the changed parts, and a cursor. Take one back with discard_template_draft.',
  },
  cli: {
    command: 'templates drafts',
    description:
      'Lists the template drafts that no approver has published or discarded, newest first, each with what it would change. A key sees its own drafts; with the scope approvals:read or approvals:decide, those of the whole account. For the next page, repeat the command with --cursor.',
    examples: ['postrider templates drafts', 'postrider templates drafts --json'],
  },
});
