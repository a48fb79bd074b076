import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { accountSchema } from '../../schemas/account.ts';

export const resumeAccount = defineOperation({
  id: 'account.resume',
  method: 'POST',
  path: '/account/resume',
  access: { kind: 'key', scope: 'account:write' },
  reach: 'controls',
  summary: 'Resume sending',
  description:
    'Lets the keys of a paused account send again, save those that are paused themselves. Answers the account; one that is not paused stays as it is.',
  effect: 'update',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: accountSchema,
  errors: [],
  mcp: {
    tool: 'resume_account',
    title: 'Resume sending',
    description:
      'Lets the keys of a paused account send again, save those that are paused themselves. Ask the user first: somebody paused it for a reason. Not for one key: use resume_key. Answers the account.',
  },
  cli: { command: 'account resume', examples: ['postrider account resume'] },
});
