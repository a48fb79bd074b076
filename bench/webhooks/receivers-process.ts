import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { childSettings, serveParent } from '../parts/child.ts';

/** How each endpoint behaves: `silent` accepts requests and never responds; nothing listens at `closed`. */
export type Behavior = 'healthy' | 'flaky' | 'silent' | 'closed';

export interface ReceiversSettings {
  readonly behaviors: readonly Behavior[];
  /** The share of requests to which a flaky endpoint responds with 500. */
  readonly failingShare: number;
}

/** What one endpoint has received. */
export interface Taken {
  /** Different events that got a 200 response. */
  readonly events: number;
  readonly requests: number;
  /** Milliseconds from the event to its first 200, for those since the last request for them. */
  readonly delaysMs: readonly number[];
}

interface Receiver {
  readonly server: Server;
  readonly port: number;
  readonly ids: Set<string>;
  /** How often each event was rejected. */
  readonly refused: Map<string, number>;
  requests: number;
  delaysMs: number[];
}

const REFUSALS_MAX = 9;

/** Twenty webhook receivers, each on its own port, in a process apart from the measured one. */
const { behaviors, failingShare } = childSettings<ReceiversSettings>();
const receivers = await Promise.all(behaviors.map(open));
serveParent({ ports: receivers.map(({ port }) => port) }, () => {
  const taken = receivers.map((receiver): Taken => {
    const { ids, requests, delaysMs } = receiver;
    receiver.delaysMs = [];
    return { events: ids.size, requests, delaysMs };
  });
  return Promise.resolve(taken);
});

async function open(behavior: Behavior): Promise<Receiver> {
  const server = createServer((request, response) => {
    receiver.requests += 1;
    read(request, (body) => {
      if (behavior === 'silent') return;
      if (behavior === 'flaky' && refuses(receiver, body)) response.writeHead(500).end('not now');
      else {
        note(receiver, body);
        response.writeHead(200).end('ok');
      }
    });
  });
  const nothing = { ids: new Set<string>(), refused: new Map<string, number>(), requests: 0, delaysMs: [] };
  const receiver: Receiver = { server, port: await listen(server), ...nothing };
  if (behavior === 'closed') server.close();
  return receiver;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // A TCP server that listens has no other kind of address.
}

function read(request: IncomingMessage, then: (body: string) => void): void {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => then(body));
}

/** Random, but never ten times for one event, because it would then be abandoned: by chance, one of 170,000 events. */
function refuses({ refused }: Receiver, body: string): boolean {
  const { id }: { readonly id: string } = JSON.parse(body);
  const before = refused.get(id) ?? 0;
  if (before === REFUSALS_MAX || Math.random() >= failingShare) return false;
  refused.set(id, before + 1);
  return true;
}

function note({ ids, delaysMs }: Receiver, body: string): void {
  const event: { readonly id: string; readonly createdAt: string } = JSON.parse(body);
  if (ids.has(event.id)) return;
  ids.add(event.id);
  delaysMs.push(Date.now() - Date.parse(event.createdAt));
}
