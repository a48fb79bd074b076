import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { rolldown } from 'rolldown';

/** The policy that a client must apply to a view that declares no domains (MCP Apps 2026-01-26, "Host Behavior"). */
const SANDBOX_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; object-src 'none'";

/** Passes messages between the client and the view, which is in a sandbox of no origin. */
const SANDBOX_PAGE = `<!doctype html><style>body { margin: 0 } iframe { border: 0; width: 100%; height: 100vh; display: block }</style><body><script>
const inner = document.createElement('iframe');
inner.setAttribute('sandbox', 'allow-scripts');
addEventListener('message', ({ source, data }) => {
  if (source === inner.contentWindow) parent.postMessage(data, '*');
  else if (source === parent && data.method === 'ui/notifications/sandbox-resource-ready') {
    inner.srcdoc = data.params.html;
    document.body.append(inner);
  } else if (source === parent) inner.contentWindow?.postMessage(data, '*');
});
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*');
</script>`;

export interface AppHostServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the page of the client, and the sandbox for its views under another name of this machine, which is another origin. */
export async function serveAppHost(): Promise<AppHostServer> {
  const script = await bundleHostPage();
  const server = createServer(({ url }, response) => {
    const isSandbox = url === '/sandbox';
    response.setHeader('content-type', url === '/host.js' ? 'text/javascript' : 'text/html; charset=utf-8');
    if (isSandbox) response.setHeader('content-security-policy', SANDBOX_POLICY);
    if (url === '/host.js') response.end(script);
    else response.end(isSandbox ? SANDBOX_PAGE : HOST_PAGE);
  });
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A TCP server that listens has no other kind of address.
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const HOST_PAGE = `<!doctype html><html lang="en"><title>Client</title><link rel="icon" href="data:,"><meta name="color-scheme" content="light dark"><style>body { margin: 0 }</style><body><script type="module" src="/host.js"></script></body></html>`;

async function bundleHostPage(): Promise<string> {
  const build = await rolldown({
    input: path.join(import.meta.dirname, 'host-page.ts'),
    platform: 'browser',
    logLevel: 'silent',
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  return output[0].code;
}
