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
  summary: 'Invite somebody to the team',
  description: `Gives the address a seat and mails it where to sign in; who signs in with it has joined. Nobody gives a role above their own, and a key none that may do what it may not (403 \`permission_escalation\`). An address that has a seat already is 409 \`already_exists\`; where every seat is taken it is 422 with \`too_many\` at \`email\`. To mail an invitation again, remove it and invite anew. An account has ${LIMITS.invitationsPerDay} invitations mailed in 24 hours at most; beyond that it is 429 \`rate_limited\` with \`retry-after\`.`,
  effect: 'create',
  query: z.strictObject({}),
  body: z.strictObject({ email: mailboxSchema.describe('Whom to invite.'), role: roleSchema }),
  status: 201,
  response: 'json',
  output: memberSchema,
  errors: ['permission_escalation', 'already_exists'],
  mcp: {
    tool: 'invite_member',
    toolset: 'team',
    title: 'Invite somebody to the team',
    description:
      'Mails an invitation to join the account in a role. Ask the user first. Not for programs: use create_key. Answers the member, with the status `invited`.',
  },
  cli: {
    command: 'team invite',
    positional: ['email'],
    examples: ['postrider team invite ada@example.com --role developer'],
  },
});
