import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { teamSchema } from '../../schemas/member.ts';

export const listTeam = defineOperation({
  id: 'team.list',
  method: 'GET',
  path: '/team',
  access: { kind: 'key', scope: 'team:read' },
  reach: 'none',
  summary: 'List the team',
  description: 'Every member of the account with their role, including those who are invited and have not joined yet.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: teamSchema,
  errors: [],
  mcp: {
    tool: 'list_team',
    toolset: 'team',
    title: 'List the team',
    description:
      'Lists the members of the account with their roles, and how many seats are left. Not for API keys: use list_keys. Returns rows with their ids.',
  },
  cli: { command: 'team list', examples: ['postrider team list'] },
});
