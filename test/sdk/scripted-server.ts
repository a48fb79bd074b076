import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the server saw it. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * A response; `afterMs` makes the server slow. `hang` never responds, `stall` stops in the middle of its body, `reset` closes the connection
 * without a word, and `switch` offers another protocol.
 */
export type Reply =
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: unknown;
      readonly afterMs?: number;
    }
  | 'hang'
  | 'stall'
  | 'switch'
  | 'reset';

/** A third-party server: responds to the n-th request with the n-th reply, over real sockets. */
export interface ScriptedServer extends AsyncDisposable {
  readonly baseUrl: string;
  readonly received: readonly Received[];
  /** Resolves when the server has read the next request. */
  nextRequest(): Promise<void>;
}

/** Starts a server on a free loopback port. A request beyond the script gets 418, which no client repeats. */
export async function startScriptedServer(replies: readonly Reply[]): Promise<ScriptedServer> {
  const received: Received[] = [];
  let announce = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    received.push(await readRequest(request));
    const reply = replies[received.length - 1] ?? { status: 418 };
    announce.resolve();
    announce = Promise.withResolvers<void>();
    respond(response, reply);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A TCP server that listens has one.
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    received,
    nextRequest: () => announce.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = await request.toArray();
  const { method = '', url = '', headers } = request;
  return { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
}

function respond(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return;
  if (reply === 'stall') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"id":');
    return;
  }
  if (reply === 'switch') {
    response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n');
    return;
  }
  if (reply === 'reset') {
    response.destroy();
    return;
  }
  const { status, headers = {}, body, afterMs } = reply;
  const isText = typeof body === 'string';
  const send = () => {
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
    response.end(isText || body === undefined ? body : JSON.stringify(body));
  };
  if (afterMs === undefined) send();
  else setTimeout(send, afterMs);
}

/** A refusal as the API writes it. */
export function problem(
  status: number,
  code: string,
  fields: object = {},
  headers: Record<string, string> = {},
): Reply {
  const words = {
    type: `https://mail.example/reference#${code}`,
    title: code,
    detail: `It is ${code}.`,
    fix: 'Mend it.',
  };
  return {
    status,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': 'req-1', ...headers },
    body: { ...words, status, code, retryable: false, requestId: 'req-1', ...fields },
  };
}
