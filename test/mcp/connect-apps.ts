import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestApp } from '../harness/test-app.ts';

const APPS = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };

export interface AppsClientOptions {
  readonly key: string;
  readonly hasApps?: boolean;
  /** What the client declares instead. */
  readonly extensions?: Readonly<Record<string, Readonly<Record<string, string[]>>>>;
  /** Receives the addresses that the server asks this client to open. Without it, the client cannot open any. */
  readonly opened?: string[];
  /** As in `toolsets=approvals`. */
  readonly query?: string;
  /** The protocol revision, or `legacy` for those of 2025. */
  readonly mode?: 'legacy' | { readonly pin: string };
}

/** A client of a server's own endpoint that shows views of the server in frames. */
export async function connectApps(server: TestApp, options: AppsClientOptions): Promise<Client> {
  const { key, hasApps = true, extensions = APPS, opened, query = '', mode = { pin: '2026-07-28' } } = options;
  const capabilities = {
    ...(hasApps ? { extensions: { ...extensions } } : {}),
    ...(opened === undefined ? {} : { elicitation: { url: {} } }),
  };
  const client = new Client({ name: 'test', version: '0.0.0' }, { versionNegotiation: { mode }, capabilities });
  if (opened !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      opened.push(params.mode === 'url' ? params.url : 'a form');
      return { action: 'accept' };
    });
  }
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp?${query}`), { requestInit }));
  return client;
}
