import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { checklistSchema } from '../../schemas/account.ts';

export const getAccountChecklist = defineOperation({
  id: 'account.checklist',
  method: 'GET',
  path: '/account/checklist',
  access: { kind: 'key', scope: 'account:read' },
  reach: 'none',
  summary: 'Read the checklist',
  description:
    'The steps from a new account to one that sends from its own domain, in a recommended order: which of them are done, and how to do the others. They are advice only.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: checklistSchema,
  errors: [],
  mcp: {
    tool: 'get_checklist',
    toolset: 'account',
    title: 'Read the setup checklist',
    description:
      'Reads the steps from a new account to one that sends from its own domain: which are done, and how to do the others. Not for the limits of this key: use get_sending_context. Returns the steps in order.',
  },
  cli: { command: 'account checklist', examples: ['postrider account checklist'] },
});
