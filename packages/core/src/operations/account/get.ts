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
    'The account of the calling key: its plan and monthly quota, how many domains and seats are in use, its reputation, how long content is stored, and its tracking settings.',
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
      'Reads the account: plan, quota and usage, domains and seats, reputation, and whether opens and clicks are tracked. Not for the scopes of this key: use get_sending_context. Returns one record.',
  },
  cli: { command: 'account get', examples: ['postrider account get', 'postrider account get --json'] },
});
