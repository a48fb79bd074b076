import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

export const getHealth = defineOperation({
  id: 'service.health',
  method: 'GET',
  path: '/health',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Liveness',
  description: 'Responds while the process is running, even if its database is down.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Health' }),
  errors: [],
  mcp: null,
  cli: null,
});
