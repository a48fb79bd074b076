import { z } from 'zod';
import { mcpRefusal, mcpSessionHeader } from '../../mcp-session.ts';
import { defineOperation } from '../../operation.ts';

export const getMcpStream = defineOperation({
  id: 'service.mcp-stream',
  method: 'GET',
  path: '/mcp',
  access: { kind: 'key', scope: null, users: 'none' },
  reach: 'none',
  summary: 'Notifications of an MCP session',
  description:
    'The event stream of the session in `Mcp-Session-Id`, for clients of the 2025 revisions of MCP: changes of the resources that the session is subscribed to. After an interruption, `Last-Event-ID` makes the server repeat what came after that event. Clients of protocol 2026-07-28 send `subscriptions/listen` to `POST /mcp` instead.',
  effect: 'read',
  headers: z.object({
    'mcp-session-id': mcpSessionHeader,
    'last-event-id': z.string().optional().describe('The id of the last event that was received.'),
  }),
  status: 200,
  response: 'raw',
  contentType: 'text/event-stream',
  output: z.string(),
  further: [
    mcpRefusal(403, 'A JSON-RPC error: the request comes from a page of another origin.'),
    mcpRefusal(404, 'A JSON-RPC error: the session is unknown, has ended or belongs to another key. Initialize again.'),
    mcpRefusal(405, 'A JSON-RPC error: the request names no session, and there is no stream without one.'),
    mcpRefusal(406, 'A JSON-RPC error: the client does not accept `text/event-stream`.'),
    mcpRefusal(503, 'A JSON-RPC error: this server has as many of these streams open as it serves at once.'),
  ],
  responseHeaders: { 'x-accel-buffering': '`no`: a proxy must pass each event on at once.' },
  errors: [],
  mcp: null,
  cli: null,
});
