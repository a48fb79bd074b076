import { z } from 'zod';

const errorSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).describe('The id of the request; null if it could not be read.'),
  error: z.looseObject({ code: z.number().int(), message: z.string() }),
});

/** A response of the MCP endpoint that is a JSON-RPC error. */
export function mcpRefusal(status: number, summary: string) {
  return { status, summary, content: { 'application/json': errorSchema } };
}

export const mcpSessionHeader = z
  .string()
  .describe('The id of the session: the `Mcp-Session-Id` of the response to `initialize`.');
