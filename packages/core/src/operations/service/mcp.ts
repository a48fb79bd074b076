import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

export const postMcp = defineOperation({
  id: 'service.mcp',
  method: 'POST',
  path: '/mcp',
  access: { kind: 'key', scope: null },
  summary: 'Model Context Protocol endpoint',
  description:
    'JSON-RPC 2.0 over streamable HTTP, stateless, for MCP protocol 2026-07-28 and the 2025 revisions. Lists the tools that the key’s scopes allow.',
  effect: 'update',
  body: z.unknown(),
  upcoming: { query: ['toolsets', 'readonly'] },
  status: 200,
  response: 'raw',
  output: z.unknown(),
  errors: [],
  mcp: null,
  cli: null,
});
