import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { accountSchema } from '../../schemas/account.ts';

export const resumeAccount = defineOperation({
  id: 'account.resume',
  method: 'POST',
  path: '/account/resume',
  access: { kind: 'key', scope: 'account:write' },
  reach: 'controls',
  whilePaused: true,
  summary: 'Resume sending',
  description:
    'Lets the keys of a paused account send again, except those that are paused themselves. Only a user can resume what a user paused: a key gets 403 `permission_escalation`, which says who paused it. Returns the account. An account that is not paused stays unchanged.',
  effect: 'update',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: accountSchema,
  errors: ['permission_escalation'],
  mcp: {
    tool: 'resume_account',
    toolset: 'account',
    title: 'Resume sending',
    description:
      'Lets the keys of a paused account send again, except those that are paused themselves. Works only if a key paused it: only a user can resume what a user paused. Ask the user first. Not for one key: use resume_key. Returns the account.',
  },
  cli: {
    command: 'account resume',
    description:
      'Lets the keys of a paused account send again, except those that are paused themselves. Only a user can resume what a user paused: for a key, the command fails with permission_escalation and says who paused it. An account that is not paused stays unchanged.',
    examples: ['postrider account resume'],
  },
});
