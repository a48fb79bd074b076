import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

const checkSchema = z.object({
  status: z.enum(['ok', 'failing']),
  reason: z.string().nullable().describe('What is wrong, in words; null if it is ok.'),
});

const readinessSchema = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    checks: z.object({ database: checkSchema, queue: checkSchema, transport: checkSchema }),
  })
  .meta({ id: 'Readiness' });

export const getReadiness = defineOperation({
  id: 'service.readiness',
  method: 'GET',
  path: '/health/ready',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Readiness',
  description:
    'Whether this process can accept and deliver now: 200 if it can, 503 with the same body if it cannot. Each failing check says why.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: readinessSchema,
  further: [
    { status: 503, summary: 'A check fails; `checks` says which', content: { 'application/json': readinessSchema } },
  ],
  errors: [],
  mcp: {
    tool: 'check_service',
    toolset: 'diagnostics',
    title: 'Check the server',
    description:
      'Returns whether the server can accept and deliver now: its database, its queue and its transport. Not for the outcome of a message: use get_email. Returns each check, with the reason if it fails.',
  },
  cli: null,
});
