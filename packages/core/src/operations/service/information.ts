import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

export const getServiceInformation = defineOperation({
  id: 'service.information',
  method: 'GET',
  path: '/',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Service information',
  description: 'What this server is, where its documentation is, and the endpoints it offers.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: z
    .object({
      service: z.string(),
      status: z.string().describe('`ok` when healthy.'),
      docs: z.string().describe('URL of the reference page.'),
      endpoints: z.record(z.string(), z.string()).describe('From purpose to method and path.'),
      note: z.string().describe('About the `x-request-id` header.'),
    })
    .meta({ id: 'ServiceInformation' }),
  errors: [],
  mcp: null,
  cli: null,
});
