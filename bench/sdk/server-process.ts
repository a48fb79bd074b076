import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveParent } from '../parts/child.ts';

export interface RespondingProcessReady {
  readonly port: number;
}

const ID = '01936a2e-0000-7000-8000-000000000001';
const READ = JSON.stringify({
  id: ID,
  name: 'Bench',
  mode: 'live',
  scopes: ['full'],
  created_at: '2026-01-01T00:00:00.000Z',
});
const SENT = JSON.stringify({ id: ID, status: 'queued' });

/** Responds immediately with a fixed body, so that the client's cost dominates. Counts the connections. */
let connections = 0;
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    const isSend = request.method === 'POST';
    response.writeHead(isSend ? 202 : 200, { 'content-type': 'application/json', 'x-request-id': 'req-1' });
    response.end(isSend ? SENT : READ);
  });
});
server.on('connection', () => {
  connections += 1;
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('SIGTERM', () => process.exit(0));
const ready: RespondingProcessReady = { port: (server.address() as AddressInfo).port }; // A TCP server that listens.
serveParent(ready, () => Promise.resolve(connections));
