import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { ownSessionSchema } from '../../schemas/own-session.ts';

export const listOwnSessions = defineOperation({
  id: 'sessions.list',
  method: 'GET',
  path: '/auth/sessions',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'List your sessions',
  description: `Every session of the signed-in user that has not ended, in all of their accounts: browsers and devices, the one used last first, ${LIMITS.sessionsListed} at most. A session you do not recognize: end it with \`DELETE /auth/sessions/:id\`.`,
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: z
    .object({
      sessions: z.array(ownSessionSchema),
      total: z.number().int().describe('Number of all sessions, even if not all are listed.'),
    })
    .meta({ id: 'OwnSessions' }),
  errors: [],
  mcp: null,
  cli: {
    command: 'sessions list',
    description:
      'Lists every session of the signed-in user that has not ended, in all of their accounts: browsers and devices, at most 100, the most recently used first. If you do not recognize a session, end it with postrider sessions end.',
    examples: ['postrider sessions list'],
  },
});
