import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

export const endOtherSessions = defineOperation({
  id: 'sessions.end-others',
  method: 'DELETE',
  path: '/auth/sessions',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'End all your other sessions',
  description:
    'Ends every session of the signed-in user but this one, in all of their accounts, within a second on every server process. Devices that were confirmed and have not fetched their token get none. A device session ends the other device sessions only, and leaves browsers signed in.',
  effect: 'delete',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: z.object({ ended: z.number().int().describe('How many sessions ended.') }).meta({ id: 'EndedSessions' }),
  errors: [],
  mcp: null,
  cli: { command: 'sessions end-others', examples: ['postrider sessions end-others'] },
});
