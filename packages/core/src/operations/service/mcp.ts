import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { mcpRefusal, mcpSessionHeader } from '../../mcp-session.ts';
import { defineOperation } from '../../operation.ts';
import { readToolsets, TOOLSET_NAMES, TOOLSETS } from '../../toolsets.ts';

const NAMES = TOOLSET_NAMES.map((name) => `\`${name}\``).join(', ');

const toolsetsSchema = z
  .string()
  .transform((list, context) => {
    const { toolsets, unknown } = readToolsets(list);
    if (unknown.length > 0) {
      const named = unknown.map((name) => (name === '' ? 'an empty name' : `\`${name}\``)).join(', ');
      const message = `names toolsets that do not exist: ${named}; the toolsets are ${NAMES}`;
      context.addIssue({ code: 'custom', message, params: { code: 'unknown_toolset' } });
    }
    return toolsets;
  })
  .optional()
  .describe(
    `Tools beyond the default ones, as a comma-separated list: ${TOOLSET_NAMES.map((name) => `\`${name}\` (${TOOLSETS[name].replace(/\.$/, '')})`).join('; ')}.`,
  )
  .meta({ publishedAs: { type: 'string' } });

const messageSchema = z.looseObject({ jsonrpc: z.literal('2.0') }).describe('A JSON-RPC message.');

export const postMcp = defineOperation({
  id: 'service.mcp',
  method: 'POST',
  path: '/mcp',
  access: { kind: 'key', scope: null, users: 'none' },
  reach: 'none',
  summary: 'Model Context Protocol endpoint',
  description:
    'JSON-RPC 2.0 over streamable HTTP, for MCP protocol 2026-07-28 and the 2025 revisions. Lists the tools that the key’s scopes allow: the default ones, and those of the toolsets that `toolsets` names. Neither parameter gives a key more than it may do. Every request can be sent on its own. A client of the 2025 revisions that sends back the `Mcp-Session-Id` of its `initialize` has a session: subscriptions, whose notifications `GET /mcp` returns, and requests of the server to the client.',
  effect: 'update',
  query: z.strictObject({
    toolsets: toolsetsSchema,
    readonly: z
      .enum(['true', 'false'])
      .default('false')
      .transform((text) => text === 'true')
      .describe('If true, only tools that change and send nothing.')
      .meta({ publishedAs: { type: 'boolean', default: false } }),
  }),
  headers: z.object({ 'mcp-session-id': mcpSessionHeader.optional() }),
  body: z.unknown(),
  bodyBytes: LIMITS.sendBodyBytes,
  status: 200,
  response: 'raw',
  output: z.union([messageSchema, z.array(messageSchema)]),
  further: [
    {
      status: 200,
      summary: 'An event stream for clients that accept `text/event-stream`.',
      content: { 'text/event-stream': z.string() },
      headers: { 'x-accel-buffering': '`no`: a proxy must pass each event on at once.' },
    },
    { status: 202, summary: 'The body contains notifications only, so there is nothing to return' },
    mcpRefusal(400, 'A JSON-RPC error: the body is not JSON (-32700), or it or the MCP headers are not valid.'),
    mcpRefusal(403, 'A JSON-RPC error: the request comes from a page of another origin.'),
    mcpRefusal(
      404,
      'A JSON-RPC error: the method does not exist, or the session in `Mcp-Session-Id` is unknown, has ended or belongs to another key.',
    ),
    mcpRefusal(415, 'A JSON-RPC error: the request has no body.'),
    mcpRefusal(500, 'A JSON-RPC error: the server failed.'),
  ],
  responseHeaders: { 'mcp-session-id': 'The id of a new session, for clients of the 2025 revisions that initialize.' },
  errors: [],
  mcp: null,
  cli: null,
});
