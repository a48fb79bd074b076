import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keySchema } from '../../schemas/key.ts';
import { programParams } from '../../schemas/program.ts';

export const pauseProgram = defineOperation({
  id: 'programs.pause',
  method: 'POST',
  path: '/programs/:id/pause',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'Pause the sending of a program',
  description:
    'Every send of the program gets 403 `sending_paused`, within a second on every server process. It can still read. What was accepted before is delivered. A program of another user is 404.',
  effect: 'update',
  params: programParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: keySchema,
  errors: ['not_found'],
  mcp: null,
  cli: {
    command: 'programs pause',
    description:
      'Refuses every further send of a program that the signed-in user allowed, within a second. It can still read. What was accepted before is delivered.',
    positional: ['id'],
    examples: ['postrider programs pause 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
