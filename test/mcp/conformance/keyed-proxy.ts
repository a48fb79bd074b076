import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyedProxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The suite has no way to give a key. This passes on whatever it sends as it is, with the key added; where Host or Origin name the proxy's own
 * port they name the server's, so that the server's checks of both stay under test.
 */
export async function startKeyedProxy(target: URL, key: string): Promise<KeyedProxy> {
  const server = createServer((incoming, outgoing) => {
    const own = `:${(server.address() as AddressInfo).port}`; // A TCP server that listens has no other kind of address.
    const toTarget = (value: string) => value.replace(own, `:${target.port}`);
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) =>
        typeof value === 'string' && (name === 'host' || name === 'origin') ? [name, toTarget(value)] : [name, value],
      ),
    );
    const passed = send({
      host: target.hostname,
      port: target.port,
      path: target.pathname,
      method: incoming.method,
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    passed.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      outgoing.flushHeaders();
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // As above.
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
