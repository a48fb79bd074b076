import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ComparedServer } from './compared-servers.ts';

/** The size of a server's tool list. All figures except `bytes` count tools. */
export interface ToolCounts {
  readonly tools: number;
  /** The list as compact JSON in UTF-8. */
  readonly bytes: number;
  readonly annotated: number;
  /** With all four hints: readOnly, destructive, idempotent and openWorld. */
  readonly fullyAnnotated: number;
  readonly withOutputSchema: number;
  /** Tools whose input has a field for an idempotency key. */
  readonly withIdempotencyKey: number;
}

type ListedTool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Starts the server, lists its tools over the protocol, and stops it. Throws if it does not start or respond. */
export async function countTools(server: ComparedServer): Promise<ToolCounts> {
  const { program, args, env } = server;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, ...args],
    env: { ...env, NO_COLOR: '1' },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'compare-mcp', version: '0.0.0' });
  try {
    await client.connect(transport);
    return countListed((await client.listTools()).tools);
  } finally {
    await client.close();
  }
}

function countListed(tools: readonly ListedTool[]): ToolCounts {
  const count = (holds: (tool: ListedTool) => boolean) => tools.filter(holds).length;
  return {
    tools: tools.length,
    bytes: Buffer.byteLength(JSON.stringify(tools)),
    annotated: count(({ annotations }) => annotations !== undefined),
    fullyAnnotated: count(({ annotations }) => HINTS.every((hint) => annotations?.[hint] !== undefined)),
    withOutputSchema: count(({ outputSchema }) => outputSchema !== undefined),
    withIdempotencyKey: count(({ inputSchema }) =>
      Object.keys(inputSchema.properties ?? {}).some((name) => /^idempotency_?key$/i.test(name)),
    ),
  };
}
