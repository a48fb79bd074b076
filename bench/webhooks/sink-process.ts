import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ownUsage, serveParent } from '../parts/child.ts';

/** A minimal receiver that reads each request and responds with 200. On request, it reports when it has received a number of events. */
let received = 0;
let awaited: { readonly count: number; readonly resolve: () => void } | null = null;

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.end('ok');
    received += 1;
    if (awaited !== null && received >= awaited.count) awaited.resolve();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo; // A TCP server that listens has no other kind of address.

serveParent({ port }, async (question) => {
  const { count } = question as { readonly count: number }; // Sent by the parent.
  await new Promise<void>((resolve) => {
    awaited = { count, resolve };
    if (received >= count) resolve();
  });
  received = 0;
  awaited = null;
  return ownUsage();
});
