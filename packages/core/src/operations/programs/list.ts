import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { programSchema } from '../../schemas/key.ts';

export const listPrograms = defineOperation({
  id: 'programs.list',
  method: 'GET',
  path: '/programs',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'List the programs you allowed',
  description: `The programs that the signed-in user allowed to use this account for them, the newest first, ${LIMITS.programsListed} at most, without those whose access has ended. Each is shown as its key. Every role can list and end them: no \`keys:read\` or \`keys:write\` is needed.`,
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: z
    .object({
      programs: z.array(programSchema),
      total: z.number().int().describe('Number of all programs, even if not all are listed.'),
    })
    .meta({ id: 'Programs' }),
  errors: [],
  mcp: null,
  cli: {
    command: 'programs list',
    description:
      'Lists the programs that the signed-in user allowed to use this account for them, the newest first. To end the access of one, use postrider programs revoke.',
    examples: ['postrider programs list'],
  },
});
