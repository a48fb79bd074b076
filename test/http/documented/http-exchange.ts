import { Agent, request } from 'node:http';

export interface WantedRequest {
  readonly method: string;
  /** With its query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Exchange {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isHead: boolean;
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/**
 * Sends a request that `fetch` would not make: a body with GET, a `content-length` larger than the body. An event stream is read up to its head.
 */
export function exchange(baseUrl: string, { method, path, headers, body }: WantedRequest): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const declared = headers['content-length'] !== undefined;
    const length = body === undefined || declared ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, ...length },
      // A connection on which a body is missing cannot be used again.
      agent: declared ? false : agent,
    });
    sent.on('response', (response) => {
      const given = Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.join(', ') : (value ?? ''),
        ]),
      );
      const finish = (text: string) =>
        resolve({ status: response.statusCode ?? 0, headers: given, body: text, isHead: method === 'HEAD' });
      if (given['content-type']?.startsWith('text/event-stream')) {
        finish('');
        sent.destroy();
        return;
      }
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        finish(Buffer.concat(pieces).toString('utf8'));
        if (declared) sent.destroy();
      });
    });
    sent.on('error', reject);
    if (declared) sent.write(body ?? 'x');
    else sent.end(body);
  });
}

export function closeConnections(): void {
  agent.destroy();
}
