import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { domainParams, domainSchema } from '../../schemas/domain.ts';

export const getDomain = defineOperation({
  id: 'domains.get',
  method: 'GET',
  path: '/domains/:id',
  access: { kind: 'key', scope: 'domains:read' },
  reach: 'none',
  summary: 'Read one domain',
  description:
    'A sending domain with its status and its records, as they were found when they were looked up last. Removed ones are read too.',
  effect: 'read',
  params: domainParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: domainSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'get_domain',
    toolset: 'domains',
    title: 'Read a sending domain',
    description:
      'Reads one sending domain: its status, and every record with its value, whether it was found, and why not. Not for a fresh look at the DNS: use verify_domain. Answers what was found when it was looked up last.',
  },
  cli: {
    command: 'domains get',
    positional: ['id'],
    examples: ['postrider domains get mail.example.com'],
  },
});
