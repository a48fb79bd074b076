import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXPOSITION_TYPE, type MetricFamily, renderMetrics } from './exposition.ts';

/** `GET /metrics`, on a port of its own. */
export interface RunningMetrics {
  readonly port: number;
  stop(): Promise<void>;
}

/** Who scrapes sends a few lines and reads a few kilobytes. */
const REQUEST_MS = 5_000;

/**
 * Serves what `collect` answers at every scrape. On a port of its own, since a worker serves nothing else, and since these figures are the
 * installation's and nobody's account: who may reach the port may read them. Rejects as listening does.
 */
export async function startMetrics(
  address: { readonly host: string; readonly port: number },
  collect: () => Promise<readonly MetricFamily[]>,
): Promise<RunningMetrics> {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    const say = (status: number, text: string, type = 'text/plain; charset=utf-8', headers = {}) =>
      void response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers }).end(text);
    if (request.url?.split('?', 1)[0] !== '/metrics') return say(404, 'There is only /metrics here.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return say(405, 'This path answers GET.\n', undefined, { allow: 'GET, HEAD' });
    collect().then(
      (families) => say(200, renderMetrics(families), EXPOSITION_TYPE),
      (error: unknown) => say(500, `${error instanceof Error ? error.message : String(error)}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  return {
    // Listening on a port, it has an address of this kind.
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
