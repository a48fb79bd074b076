import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createMcpHttpHandler, type McpCaller, type McpHttpHandler } from '@postrider/mcp';

export interface McpEndpoint {
  readonly url: URL;
  readonly faults: readonly unknown[];
  close(): Promise<void>;
}

/** The MCP handler behind a real HTTP server on loopback; everyone who calls is `caller`. Bodies are limited to 100,000 bytes. */
export async function startMcpEndpoint(caller: McpCaller): Promise<McpEndpoint> {
  const faults: unknown[] = [];
  const handler = createMcpHttpHandler({
    version: '1.2.3',
    maxRequestBodyBytes: 100_000,
    onError: (error) => faults.push(error),
  });
  const server = createServer((incoming, outgoing) => void serve(handler, caller, incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A TCP server that listens has no other kind of address.
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    faults,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function serve(handler: McpHttpHandler, caller: McpCaller, incoming: IncomingMessage, outgoing: ServerResponse) {
  if (incoming.method !== 'POST') {
    outgoing.writeHead(405, { allow: 'POST' }).end();
    return;
  }
  const hangUp = new AbortController();
  outgoing.on('close', () => hangUp.abort());
  const headers = new Headers(
    Object.entries(incoming.headersDistinct).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [name, value]),
    ),
  );
  const request = new Request(`http://127.0.0.1${incoming.url}`, {
    method: 'POST',
    headers,
    body: Buffer.concat(await incoming.toArray()),
    signal: hangUp.signal,
  });
  const response = await handler.fetch(request, caller);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  // A client that hangs up mid-stream is no fault of the endpoint.
  else await pipeline(response.body, outgoing).catch(() => {});
}
