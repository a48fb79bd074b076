import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

const checkSchema = z.object({
  status: z.enum(['ok', 'failing']),
  reason: z.string().nullable().describe('What is wrong, in words; null when ok.'),
});

export const getReadiness = defineOperation({
  id: 'service.readiness',
  method: 'GET',
  path: '/health/ready',
  access: { kind: 'public' },
  summary: 'Readiness',
  description:
    'Whether this process can accept and deliver now: 200 when it can, 503 with the same body when it cannot; each failing check says why.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: z
    .object({
      status: z.enum(['ok', 'unavailable']),
      checks: z.object({ database: checkSchema, queue: checkSchema, transport: checkSchema }),
    })
    .meta({ id: 'Readiness' }),
  errors: [],
  mcp: null,
  cli: null,
});
