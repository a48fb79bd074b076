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
    'Removes the member or withdraws the invitation, and ends the member’s sessions in this account at once. Keys they created stay unchanged. You cannot remove a role above your own (403 `permission_escalation`). The last owner cannot be removed: 422 with `last_owner` at `id`. Returns the removed member.',
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
      'Removes one member from the account, or withdraws an invitation. Ask the user first. Not for API keys: use revoke_key. Returns the removed member.',
  },
  cli: {
    command: 'team remove',
    description:
      'Removes a member or withdraws an invitation, and ends the member’s sessions in this account at once. Keys they created stay unchanged. You cannot remove a role above your own: the command fails with permission_escalation. The last owner cannot be removed.',
    positional: ['id'],
    examples: ['postrider team remove 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
