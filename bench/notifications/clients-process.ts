import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { childSettings, serveParent } from '../parts/child.ts';

/** A request to one of the servers, as a client sends it. */
export interface Sent {
  readonly port: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type ClientsQuestion =
  /** Sends each request, a few at a time. Returns the `mcp-session-id` of each response. */
  | { readonly kind: 'send'; readonly sent: readonly Sent[] }
  /** Opens each event stream, on a connection of its own, and waits until it has begun. */
  | { readonly kind: 'open'; readonly sent: readonly Sent[] }
  /** Sends a decision, and waits until `id` was in an event on so many streams. Returns ms from the request to each. */
  | { readonly kind: 'decide'; readonly sent: Sent; readonly id: string; readonly streams: number };

const AT_ONCE = 16;
const WAIT_MS = 20_000;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

let awaited: { readonly id: string; readonly note: () => void } | null = null;

async function run(question: ClientsQuestion): Promise<unknown> {
  switch (question.kind) {
    case 'send':
      return await inParallel(question.sent, send);
    case 'open':
      return await inParallel(question.sent, open);
    case 'decide':
      return await decide(question);
  }
}

async function decide({ sent, id, streams }: Extract<ClientsQuestion, { kind: 'decide' }>): Promise<Float64Array> {
  const latenciesMs: number[] = [];
  const beganMs = performance.now();
  const all = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${latenciesMs.length} of ${streams} were notified`)), WAIT_MS);
    const note = () => {
      latenciesMs.push(performance.now() - beganMs);
      if (latenciesMs.length < streams) return;
      clearTimeout(timer);
      resolve();
    };
    awaited = { id, note };
  });
  await Promise.all([send(sent), all]);
  awaited = null;
  return Float64Array.from(latenciesMs);
}

async function send(sent: Sent): Promise<string> {
  const response = await respond(sent, agent);
  const content = await text(response);
  if ((response.statusCode ?? 0) >= 300 || content.includes('"error"')) {
    throw new Error(`${sent.path}: ${response.statusCode} ${content}`);
  }
  return String(response.headers['mcp-session-id'] ?? '');
}

/** Resolves with its first bytes. */
async function open(sent: Sent): Promise<string> {
  const response = await respond(sent, false);
  if (response.statusCode !== 200) throw new Error(`${sent.path}: ${response.statusCode} ${await text(response)}`);
  response.setEncoding('utf8');
  await new Promise<void>((resolve) => response.once('data', () => resolve()));
  response.on('data', (piece: string) => {
    if (awaited !== null && piece.includes(awaited.id)) awaited.note();
  });
  return '';
}

function respond({ port, method, path, headers, body }: Sent, over: Agent | false): Promise<IncomingMessage> {
  const content = body === undefined ? null : JSON.stringify(body);
  const length = content === null ? {} : { 'content-length': Buffer.byteLength(content) };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, agent: over, headers: { ...headers, ...length } };
    request(options, resolve).once('error', reject).end(content);
  });
}

async function inParallel(all: readonly Sent[], run: (sent: Sent) => Promise<string>): Promise<readonly string[]> {
  const results: string[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < all.length; index = next++) {
      const sent = all[index];
      if (sent !== undefined) results[index] = await run(sent);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

childSettings();
serveParent({}, (question) => run(question as ClientsQuestion)); // Sent only by bench-notifications.ts.
