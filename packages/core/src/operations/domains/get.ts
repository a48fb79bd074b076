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
    'Returns a sending domain with its status and its records as the last lookup found them. Removed domains are returned too.',
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
      'Reads one sending domain. Returns its status and each DNS record with its value and the result of the last lookup. Not for a new lookup: use verify_domain.',
  },
  cli: {
    command: 'domains get',
    positional: ['id'],
    examples: ['postrider domains get mail.example.com'],
  },
});
