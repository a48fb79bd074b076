import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keySchema } from '../../schemas/key.ts';
import { programParams } from '../../schemas/program.ts';

export const revokeProgram = defineOperation({
  id: 'programs.revoke',
  method: 'DELETE',
  path: '/programs/:id',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'End the access of a program',
  description:
    'Ends the access of a program that the signed-in user allowed, and returns its key. The program loses its tokens within a second on every server process, and its messages that wait for approval are withdrawn. To use it again, sign in with it again. The audit log records it as an act of the user. A program of another user is 404.',
  effect: 'delete',
  params: programParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: keySchema,
  errors: ['not_found'],
  mcp: null,
  cli: {
    command: 'programs revoke',
    description:
      'Ends the access of a program that the signed-in user allowed, within a second. Its messages that wait for approval are withdrawn. To use it again, sign in with it again.',
    positional: ['id'],
    examples: ['postrider programs revoke 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
