import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { accountSchema } from '../../schemas/account.ts';

export const getAccount = defineOperation({
  id: 'account.get',
  method: 'GET',
  path: '/account',
  access: { kind: 'key', scope: 'account:read' },
  reach: 'none',
  summary: 'Read the account',
  description:
    'The account of the calling key: its plan and monthly quota, how many domains and seats are in use, its reputation, for how long content is kept, and its tracking switches.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: accountSchema,
  errors: [],
  mcp: {
    tool: 'get_account',
    toolset: 'account',
    title: 'Read the account',
    description:
      'Reads the account: plan, quota and what is used of it, domains and seats, reputation, and whether opens and clicks are tracked. Not for what this key may do: use get_sending_context. Answers one record.',
  },
  cli: { command: 'account get', examples: ['postrider account get', 'postrider account get --json'] },
});
