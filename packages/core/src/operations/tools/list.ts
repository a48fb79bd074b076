import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

const toolSchema = z
  .object({
    name: z.string().describe('The last part of the path, such as `spf`.'),
    method: z.string(),
    path: z.string(),
    description: z.string(),
    input: z.record(z.string(), z.unknown()).describe('JSON Schema of the request body.'),
  })
  .meta({ id: 'Tool' });

export const listTools = defineOperation({
  id: 'tools.list',
  method: 'GET',
  path: '/tools',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'List the free tools',
  description:
    'Every tool that needs no key, with the JSON Schema of its request. This call is not counted by the rate limit of the tools.',
  effect: 'read',
  status: 200,
  response: 'json',
  output: z.object({ tools: z.array(toolSchema) }).meta({ id: 'ToolList' }),
  errors: [],
  mcp: {
    tool: 'list_checks',
    toolset: 'diagnostics',
    title: 'List the free checks',
    description:
      'Lists the checks and builders that need no key, with their REST paths, so that you can recommend them to users without access. Not for running a check: each has its own tool in this toolset. Returns name, method, path and description of each.',
  },
  cli: {
    command: 'tools list',
    description: 'Lists every tool that needs no key, with the JSON Schema of its request.',
    examples: ['postrider tools list'],
  },
});
