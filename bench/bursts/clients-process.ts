import { connect, type Socket } from 'node:net';
import { childSettings, serveParent } from '../parts/child.ts';
import { sampleEmail } from '../parts/sample-email.ts';

/** Clients that send at the same time, each over its own connection, one request after the other. */
export interface ClientsRequest {
  readonly ask: 'send';
  readonly port: number;
  /** The clients use them in round-robin order. */
  readonly keys: readonly string[];
  readonly clients: number;
  /** Loopback addresses that the clients connect from. */
  readonly addresses: number;
  /** Each client ends after this many requests or seconds, whichever comes first. */
  readonly requests: number;
  readonly seconds: number;
  /** Messages in a request; more than one is sent as a batch. */
  readonly batch: number;
}

/** Opens connections that send nothing, or closes them. */
export interface IdleRequest {
  readonly ask: 'idle' | 'release';
  readonly port: number;
  readonly connections: number;
  readonly addresses: number;
}

export interface ClientsResult {
  readonly latenciesMs: Float64Array;
  readonly accepted: number;
  /** Responses with 503 and retry-after. */
  readonly refused: number;
  /** The number of other responses and connection errors, by first line or message. */
  readonly others: Readonly<Record<string, number>>;
}

const DIFFERENT_BODIES = 200;
const idle: Socket[] = [];

async function send(request: ClientsRequest): Promise<ClientsResult> {
  const bodies = Array.from({ length: Math.ceil(DIFFERENT_BODIES / request.batch) }, (_, index) =>
    bodyOf(request, index),
  );
  const latenciesMs: number[] = [];
  const others: Record<string, number> = {};
  const counts = { accepted: 0, refused: 0 };
  const endMs = performance.now() + request.seconds * 1_000;
  const runClient = (client: number) =>
    new Promise<void>((resolve) => {
      const socket = connect({ port: request.port, host: '127.0.0.1', localAddress: addressOf(client, request) });
      const head = headOf(request, request.keys[client % request.keys.length] ?? '');
      let left = request.requests;
      let sentAtMs = 0;
      let pending = '';
      const next = () => {
        if (left === 0 || performance.now() >= endMs) return void socket.destroy();
        const body = bodies[(client + left) % bodies.length] ?? '';
        left -= 1;
        sentAtMs = performance.now();
        socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      };
      socket.setNoDelay(true).setEncoding('latin1');
      socket.once('connect', next);
      socket.on('data', (chunk: string) => {
        pending += chunk;
        const end = responseEnd(pending);
        if (end < 0) return;
        latenciesMs.push(performance.now() - sentAtMs);
        count(pending);
        pending = '';
        next();
      });
      socket.on('error', (error) => add(others, error.message));
      socket.once('close', () => resolve());
    });
  const count = (response: string) => {
    if (/^HTTP\/1.1 20[27]/.test(response)) counts.accepted += acceptedIn(response, request.batch);
    else if (response.startsWith('HTTP/1.1 503') && /\nretry-after: \d/i.test(response)) counts.refused += 1;
    else add(others, response.slice(0, response.indexOf('\r')));
  };
  await Promise.all(Array.from({ length: request.clients }, (_, client) => runClient(client)));
  return { latenciesMs: Float64Array.from(latenciesMs), ...counts, others };
}

function bodyOf({ batch }: ClientsRequest, index: number): string {
  const emails = Array.from({ length: batch }, (_, n) => sampleEmail(index, n));
  return JSON.stringify(batch === 1 ? emails[0] : { emails });
}

function headOf({ batch }: ClientsRequest, key: string): string {
  const path = batch === 1 ? '/emails' : '/emails/batch';
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
}

function acceptedIn(response: string, batch: number): number {
  return batch === 1 ? 1 : Number(/"accepted":(\d+)/.exec(response)?.[1] ?? 0);
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function addressOf(client: number, { addresses }: { readonly addresses: number }): string {
  return `127.0.1.${1 + (client % addresses)}`;
}

/** The end of a response with a length; responses are not pipelined. */
function responseEnd(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return -1;
  const end = head + 4 + Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length >= end ? end : -1;
}

/** Resolves with the number of connections that the server has not closed. */
async function openIdle(request: IdleRequest): Promise<number> {
  for (let opened = 0; opened < request.connections; opened += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, index) => openOne(request, opened + index)));
  }
  return idle.filter(({ destroyed }) => !destroyed).length;
}

function openOne(request: IdleRequest, index: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port: request.port, host: '127.0.0.1', localAddress: addressOf(index, request) });
    idle.push(socket);
    // A socket that is not read does not notice that the connection was closed.
    socket.resume();
    socket.once('connect', () => resolve()).once('close', () => resolve());
    socket.on('error', () => socket.destroy());
  });
}

function release(): number {
  for (const socket of idle.splice(0)) socket.destroy();
  return 0;
}

childSettings();
serveParent({}, async (question) => {
  const request = question as ClientsRequest | IdleRequest; // Sent only by the benchmark in this folder.
  if (request.ask === 'send') return await send(request);
  return request.ask === 'idle' ? await openIdle(request) : release();
});
