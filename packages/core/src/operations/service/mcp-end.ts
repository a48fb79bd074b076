import { z } from 'zod';
import { mcpRefusal, mcpSessionHeader } from '../../mcp-session.ts';
import { defineOperation } from '../../operation.ts';

export const deleteMcpSession = defineOperation({
  id: 'service.mcp-end',
  method: 'DELETE',
  path: '/mcp',
  access: { kind: 'key', scope: null, users: 'none' },
  reach: 'none',
  summary: 'End an MCP session',
  description:
    'Ends the session in `Mcp-Session-Id` with its subscriptions and its event stream, for clients of the 2025 revisions of MCP.',
  effect: 'delete',
  headers: z.object({ 'mcp-session-id': mcpSessionHeader }),
  status: 204,
  response: 'raw',
  output: z.undefined(),
  further: [
    mcpRefusal(403, 'A JSON-RPC error: the request comes from a page of another origin.'),
    mcpRefusal(404, 'A JSON-RPC error: the session is unknown, has ended or belongs to another key.'),
    mcpRefusal(405, 'A JSON-RPC error: the request names no session.'),
  ],
  errors: [],
  mcp: null,
  cli: null,
});
