import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { memberParams, memberSchema } from '../../schemas/member.ts';
import { roleSchema } from '../../schemas/session.ts';

export const updateMember = defineOperation({
  id: 'team.update',
  method: 'PATCH',
  path: '/team/:id',
  access: { kind: 'key', scope: 'team:write' },
  reach: 'controls',
  summary: 'Change the role of a member',
  description:
    'Takes effect within a second on every server process, including in open sessions. You cannot change a role above your own, nor to one above it (403 `permission_escalation`). The role of the last owner cannot be changed: 422 with `last_owner` at `role`.',
  effect: 'update',
  params: memberParams,
  query: z.strictObject({}),
  body: z.strictObject({ role: roleSchema }),
  status: 200,
  response: 'json',
  output: memberSchema,
  errors: ['not_found', 'permission_escalation'],
  mcp: {
    tool: 'update_member',
    toolset: 'team',
    title: 'Change the role of a member',
    description:
      'Gives one member of the account another role. Ask the user first. Not for API keys: use update_key. Returns the member.',
  },
  cli: {
    command: 'team change',
    description:
      'Changes the role of a member, within a second, including in open sessions. You cannot change a role above your own, nor to one above it: the command fails with permission_escalation. The role of the last owner cannot be changed.',
    positional: ['id'],
    examples: ['postrider team change 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a --role admin'],
  },
});
