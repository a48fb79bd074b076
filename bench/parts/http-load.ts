import { connect } from 'node:net';
import { childSettings, serveParent } from './child.ts';
import { sampleEmail } from './sample-email.ts';

export interface LoadRequest {
  readonly port: number;
  readonly path: string;
  /** What to post instead of sample messages, one for each request. */
  readonly posts?: readonly Post[];
  readonly key: string;
  /** The keys of several accounts, used in round-robin order instead of `key`. */
  readonly keys?: readonly string[];
  readonly connections: number;
  readonly count: number;
  /** Makes the recipients and bodies of this run unique. */
  readonly seed: number;
}

export interface Post {
  readonly path: string;
  readonly body: unknown;
}

export interface LoadResult {
  readonly seconds: number;
  readonly latenciesMs: Float64Array;
  readonly refused: number;
}

/**
 * Posts `count` different requests over keep-alive connections, one request at a time on each, and measures every response. It uses plain
 * sockets and prepared requests, because the load generator shares the machine with the server.
 */
async function run(load: LoadRequest): Promise<LoadResult> {
  const requests = Array.from({ length: load.count }, (_, index) => toRequest(load, index));
  const latenciesMs = new Float64Array(load.count);
  let next = 0;
  let refused = 0;
  const began = performance.now();
  const client = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(load.port, '127.0.0.1');
      let sentAt = 0;
      let index = -1;
      let pending = '';
      const send = () => {
        index = next;
        next += 1;
        const request = requests[index];
        if (request === undefined) {
          socket.destroy();
          return resolve();
        }
        sentAt = performance.now();
        socket.write(request);
      };
      socket.setNoDelay(true);
      socket.setEncoding('latin1');
      socket.once('connect', send);
      socket.on('error', reject);
      socket.on('data', (chunk: string) => {
        pending += chunk;
        const end = responseEnd(pending);
        if (end < 0) return;
        latenciesMs[index] = performance.now() - sentAt;
        if (!pending.startsWith('HTTP/1.1 20')) refused += 1;
        pending = pending.slice(end);
        send();
      });
    });
  await Promise.all(Array.from({ length: load.connections }, client));
  return { seconds: (performance.now() - began) / 1_000, latenciesMs, refused };
}

function toRequest({ path: usual, key: only, keys = [only], seed, posts }: LoadRequest, index: number): Buffer {
  const key = keys[index % keys.length];
  const { path, body: content } = posts?.[index] ?? { path: usual, body: sampleEmail(seed, index) };
  const body = JSON.stringify(content);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** The end offset of the first response in `text`; -1 while it is incomplete. */
function responseEnd(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return -1;
  const length = /content-length: (\d+)/i.exec(text.slice(0, head));
  const end = head + 4 + Number(length?.[1] ?? 0);
  return text.length >= end ? end : -1;
}

childSettings();
serveParent({}, (question) => run(question as LoadRequest));
