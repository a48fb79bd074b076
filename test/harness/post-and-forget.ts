import { request } from 'node:http';

export interface PostedRequest {
  readonly path: string;
  readonly key: string | null;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** The timeout of a client that can wait. */
const GIVES_UP_MS = 120_000;

/** Sends a request, and reads and discards the response. Resolves with the status, or with how it ended without one. */
export function post(port: number, { path, key, method = 'POST', headers, body }: PostedRequest): Promise<string> {
  return new Promise((resolve) => {
    const outgoing = request(
      {
        ...{ host: '127.0.0.1', port, path, method, agent: false, timeout: GIVES_UP_MS },
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
          ...headers,
        },
      },
      (incoming) => {
        incoming.resume();
        incoming.once('close', () => {
          outgoing.destroy();
          resolve(String(incoming.statusCode));
        });
      },
    );
    outgoing.once('timeout', () => outgoing.destroy(new Error('timeout')));
    // A server that rejects a body early closes the connection.
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    outgoing.end(body ?? undefined);
  });
}
