import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { templateReferenceParams } from '../../schemas/template.ts';
import { draftDecisionFields, templateDraftSchema } from '../../schemas/template-draft.ts';

export const discardTemplateDraft = defineOperation({
  id: 'templates.discard',
  method: 'POST',
  path: '/templates/:id/discard',
  access: { kind: 'key', scope: null },
  // A restricted key can discard its own drafts; the handler compares the author with the caller.
  reach: 'none',
  summary: 'Discard a template draft',
  description:
    'Removes a draft for good and returns it. The key that wrote a draft can discard it; the drafts of other keys need a caller that may publish them (the scope `approvals:decide`, not in approval mode). Published versions do not change. A template with no other version is removed with its draft.',
  effect: 'update',
  params: templateReferenceParams,
  query: z.strictObject({}),
  body: z.strictObject(draftDecisionFields).meta({ id: 'TemplateDiscard' }),
  status: 200,
  response: 'json',
  output: templateDraftSchema,
  errors: ['not_found', 'missing_scope', 'approval_already_decided', 'approval_changed'],
  mcp: {
    tool: 'discard_template_draft',
    toolset: 'templates',
    title: 'Discard a template draft',
    description:
      'Discards a template draft that this key wrote, so that no approver has to decide it. Not for published templates: use delete_template. Not for replacing a draft: update_template does that. Returns the draft that was removed.',
    hides: ['contentHash'],
  },
  cli: {
    command: 'templates discard',
    positional: ['id'],
    examples: ['postrider templates discard welcome', 'postrider templates discard welcome --version 4'],
  },
});
