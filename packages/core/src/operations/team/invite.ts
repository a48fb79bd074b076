import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { memberSchema } from '../../schemas/member.ts';
import { mailboxSchema } from '../../schemas/recipients.ts';
import { roleSchema } from '../../schemas/session.ts';

export const inviteMember = defineOperation({
  id: 'team.invite',
  method: 'POST',
  path: '/team/invitations',
  access: { kind: 'key', scope: 'team:write' },
  reach: 'notifies',
  summary: 'Invite a user to the team',
  description: `Gives the address a seat and mails it where to sign in; a user who signs in with it has joined. You cannot give a role above your own, and a key cannot give a role that may do what the key may not (403 \`permission_escalation\`). An address that already has a seat is 409 \`already_exists\`; if every seat is taken, it is 422 with \`too_many\` at \`email\`. To mail an invitation again, remove it and invite again. At most ${LIMITS.invitationsPerDay} invitations are mailed for an account in 24 hours; beyond that it is 429 \`rate_limited\` with \`retry-after\`.`,
  effect: 'create',
  query: z.strictObject({}),
  body: z.strictObject({ email: mailboxSchema.describe('The address to invite.'), role: roleSchema }),
  status: 201,
  response: 'json',
  output: memberSchema,
  errors: ['permission_escalation', 'already_exists'],
  mcp: {
    tool: 'invite_member',
    toolset: 'team',
    title: 'Invite a user to the team',
    description:
      'Mails an invitation to join the account in a role. Ask the user first. Not for giving a program access: use create_key. Returns the member, with the status `invited`.',
  },
  cli: {
    command: 'team invite',
    description:
      'Gives the address a seat and mails it where to sign in; a user who signs in with it has joined. You cannot give a role above your own, and a key cannot give a role that may do what the key may not: the command fails with permission_escalation. An address that already has a seat fails with already_exists. To mail an invitation again, remove it and invite again. At most 50 invitations are mailed for an account in 24 hours.',
    positional: ['email'],
    examples: ['postrider team invite ada@example.com --role developer'],
  },
});
