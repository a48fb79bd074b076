import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { memberParams, memberSchema } from '../../schemas/member.ts';

export const removeMember = defineOperation({
  id: 'team.remove',
  method: 'DELETE',
  path: '/team/:id',
  access: { kind: 'key', scope: 'team:write' },
  reach: 'controls',
  summary: 'Remove a member',
  description:
    'Takes the seat away, or the invitation back, and ends every session in it at once. Keys they made stay as they are. Nobody removes a role above their own (403 `permission_escalation`). The last owner stays: 422 with `last_owner` at `id`. Answers the member as they were.',
  effect: 'delete',
  params: memberParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: memberSchema,
  errors: ['not_found', 'permission_escalation'],
  mcp: {
    tool: 'remove_member',
    toolset: 'team',
    title: 'Remove a member',
    description:
      'Takes one person out of the account, or takes an invitation back. Ask the user first. Not for API keys: use revoke_key. Answers the member as they were.',
  },
  cli: {
    command: 'team remove',
    positional: ['id'],
    examples: ['postrider team remove 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
