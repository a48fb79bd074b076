import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keySchema } from '../../schemas/key.ts';
import { programParams } from '../../schemas/program.ts';

export const resumeProgram = defineOperation({
  id: 'programs.resume',
  method: 'POST',
  path: '/programs/:id/resume',
  access: { kind: 'session' },
  reach: 'none',
  summary: 'Resume the sending of a program',
  description:
    'Lets a paused program send again, within the limits of its key. If another user paused it, the role of the signed-in user needs `keys:write`: otherwise it is 403 `permission_escalation`. A program of another user is 404.',
  effect: 'update',
  params: programParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: keySchema,
  errors: ['not_found', 'permission_escalation'],
  mcp: null,
  cli: {
    command: 'programs resume',
    description:
      'Lets a paused program send again. If another user paused it, your role must allow you to change keys: otherwise the command fails with permission_escalation.',
    positional: ['id'],
    examples: ['postrider programs resume 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
