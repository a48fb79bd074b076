import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { templateReferenceParams, templateSchema } from '../../schemas/template.ts';
import { draftDecisionFields } from '../../schemas/template-draft.ts';

export const publishTemplate = defineOperation({
  id: 'templates.publish',
  method: 'POST',
  path: '/templates/:id/publish',
  access: { kind: 'key', scope: 'approvals:decide' },
  reach: 'controls',
  summary: 'Publish a template draft',
  description:
    'Makes a draft the current version of its template and returns the template. The publisher vouches for the parts that the draft changes. Pass the `contentHash` that was shown with the draft: if the draft or the current version changed since, nothing is published (409 `approval_changed`). Without it, a draft is published only if no other version was published after it was written. Publishing needs a signed-in user whose role allows it, or a key with `approvals:decide` that did not write the draft and is not in approval mode; other callers get 403 `self_approval_forbidden`. The `approvers` of the account and of the key that wrote the draft apply too. If they name members, only those can publish. If several people must approve, no one can: make the change yourself instead. Both fail with 403 `permission_escalation`.',
  effect: 'update',
  params: templateReferenceParams,
  query: z.strictObject({}),
  body: z.strictObject(draftDecisionFields).meta({ id: 'TemplatePublication' }),
  status: 200,
  response: 'json',
  output: templateSchema,
  errors: [
    'not_found',
    'self_approval_forbidden',
    'permission_escalation',
    'approval_already_decided',
    'approval_changed',
  ],
  mcp: null,
  cli: {
    command: 'templates publish',
    description:
      'Makes a draft the current version of its template. Pass --content-hash as it was shown with the draft: if the draft or the current version changed since, the command fails with approval_changed. Without it, the draft is published only if no other version was published after it was written. Publishing needs a signed-in user whose role allows it, or a key with approvals:decide that did not write the draft and is not in approval mode; others fail with self_approval_forbidden. If the key that wrote the draft names its approvers, only they can publish it. If several people must approve what that key sends, no one can: make the change yourself instead.',
    positional: ['id'],
    examples: ['postrider templates publish welcome', 'postrider templates publish welcome --version 4'],
  },
});
