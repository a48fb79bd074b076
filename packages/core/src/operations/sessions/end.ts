import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { ownSessionParams, ownSessionSchema } from '../../schemas/own-session.ts';

export const endOwnSession = defineOperation({
  id: 'sessions.end',
  method: 'DELETE',
  path: '/auth/sessions/:id',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'End one of your sessions',
  description:
    'Ends a session of the signed-in user within a second on every server process, and returns it. A device session ends device sessions only (403 `permission_escalation` for a browser’s), so that a device you no longer trust cannot sign you out. A session of another user is 404.',
  effect: 'delete',
  params: ownSessionParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: ownSessionSchema,
  errors: ['not_found', 'permission_escalation'],
  mcp: null,
  cli: {
    command: 'sessions end',
    description:
      'Ends a session of the signed-in user within a second. A session of the command line can end other device sessions but no session of a browser: the command then fails with permission_escalation. A device that you no longer trust can thus not sign you out.',
    positional: ['id'],
    examples: ['postrider sessions end 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
