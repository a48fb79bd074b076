import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The result of a scrape, in the Prometheus text format. */
export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}

/** `GET /metrics` on a separate port. */
export interface RunningMetrics {
  readonly port: number;
  stop(): Promise<void>;
}

/** A scraper sends a few lines and reads a few kilobytes. */
const REQUEST_MS = 5_000;

/**
 * Serves the page on a separate port. A worker serves nothing else, and the metrics belong to the installation and not
 * to an account, so anyone who can reach the port may read them. Rejects if it cannot listen.
 */
export async function startMetrics(
  address: { readonly host: string; readonly port: number },
  page: MetricsPage,
): Promise<RunningMetrics> {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    const say = (status: number, text: string, type = 'text/plain; charset=utf-8', headers = {}) =>
      void response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers }).end(text);
    if (request.url?.split('?', 1)[0] !== '/metrics') return say(404, 'Only /metrics is available here.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return say(405, 'Use GET for this path.\n', undefined, { allow: 'GET, HEAD' });
    page.render().then(
      (text) => say(200, text, page.contentType),
      (error: unknown) => say(500, `${error instanceof Error ? error.message : String(error)}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  return {
    // A server that listens on a port always has this kind of address.
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
