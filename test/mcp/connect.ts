import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestApp } from '../harness/test-app.ts';

export interface Called {
  readonly text: string;
  // Tests read results of any shape; what they expect of it is their assertion.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly record: any;
  readonly isError: boolean;
}

export interface Connection {
  /** The names of the listed tools, in order. */
  list(): Promise<string[]>;
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<Called>;
  close(): Promise<void>;
}

/** A client of a server's own endpoint; `query` as in `toolsets=domains`. */
export async function connectTo(server: TestApp, query = '', key = server.key): Promise<Connection> {
  const client = new Client({ name: 'test', version: '0.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp?${query}`), { requestInit }));
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...given } });
      const [first] = Array.isArray(content) ? content : [];
      return { text: first?.type === 'text' ? first.text : '', record: structuredContent, isError: isError === true };
    },
    close: () => client.close(),
  };
}
