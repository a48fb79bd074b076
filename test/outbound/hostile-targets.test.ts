import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, isIP, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { createOutboundClient, type OutboundClient } from '../../packages/server/src/outbound/outbound-client.ts';
import { createHostResolver, type HostAddress } from '../../packages/server/src/outbound/resolve-host.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { HOSTILE_LITERALS, HOSTILE_NAMES } from '../harness/hostile-hosts.ts';
import { makeCertificate, type SelfMadeCertificate } from '../harness/self-made-certificate.ts';

describe('hostile targets', () => {
  const hits: string[] = [];
  let servers: Server[];
  let ports: { readonly http: number; readonly https: number; readonly six: number };
  let certificate: SelfMadeCertificate;
  let dns: TestDnsServer;
  let client: OutboundClient;

  beforeAll(async () => {
    const canary: RequestListener = (request, response) => {
      hits.push(`${request.method} ${request.url}`);
      response.end('inside');
    };
    certificate = makeCertificate(['localhost', '127.0.0.1', ...Object.keys(HOSTILE_NAMES)]);
    const http = createHttpServer(canary);
    const https = createHttpsServer(certificate, canary);
    const six = createHttpsServer(certificate, canary);
    servers = [http, https, six];
    // A connection alone is a hit as well: it reveals whether something listens.
    for (const server of servers) server.on('connection', ({ remoteAddress }) => hits.push(`from ${remoteAddress}`));
    ports = {
      http: await listen(http, '127.0.0.1'),
      https: await listen(https, '0.0.0.0'),
      six: await listen(six, '::1'),
    };
    dns = await startDnsServer();
    for (const [name, addresses] of Object.entries(HOSTILE_NAMES)) {
      for (const [type, family] of [
        ['A', 4],
        ['AAAA', 6],
      ] as const) {
        const values = addresses.filter((address) => isIP(address) === family);
        if (values.length > 0) dns.set(name, type, values);
      }
    }
    client = createOutboundClient({
      allowLoopback: false,
      resolve: createHostResolver(createDnsResolver({ servers: [dns.address] })),
      userAgent: 'test',
      trustedCertificates: [certificate.cert],
    });
  });
  afterAll(async () => {
    await client.close();
    await dns.close();
    for (const server of servers) server.close();
  });

  async function listen(server: Server, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => server.listen(0, host, resolve).once('error', reject));
    return (server.address() as AddressInfo).port; // A TCP server that listens has no other kind of address.
  }

  const ask = (url: string, by = client) => by.request({ url, method: 'GET', maxBytes: 1_000 });

  it('are at least eighty', () => {
    expect(HOSTILE_LITERALS.length + Object.keys(HOSTILE_NAMES).length).toBeGreaterThanOrEqual(80);
    expect(new Set(HOSTILE_LITERALS).size).toBe(HOSTILE_LITERALS.length);
  });

  it.each(HOSTILE_LITERALS)('https://%s is rejected, and nothing connects', async (host) => {
    for (const port of [ports.https, ports.six]) {
      expect(await ask(`https://${host}:${port}/x`)).toMatchObject({ kind: 'refused' });
    }
    expect(hits).toEqual([]);
  });

  it.each(Object.keys(HOSTILE_NAMES))(
    'a name like %s is rejected for its addresses, and nothing connects',
    async (name) => {
      for (const host of [name, name.toUpperCase(), `${name}.`]) {
        expect(await ask(`https://${host}:${ports.https}/x`)).toEqual({
          kind: 'refused',
          reason: expect.stringContaining('an address that is not public'),
        });
      }
      expect(hits).toEqual([]);
    },
  );

  it.each([
    ['http://', (port: number) => `http://192.0.43.8:${port}/`],
    ['http to loopback', (port: number) => `http://127.0.0.1:${port}/`],
    ['a user', (port: number) => `https://user@192.0.43.8:${port}/`],
    ['a user and a password', (port: number) => `https://user:password@192.0.43.8:${port}/`],
    ['an empty user', (port: number) => `https://:x@192.0.43.8:${port}/`],
    ['a host in the place of the user', (port: number) => `https://example.com@127.0.0.1:${port}/`],
    ['a host before a backslash', (port: number) => `https://127.0.0.1:${port}\\@example.com/`],
    ['backslashes', (port: number) => `https:\\\\127.0.0.1:${port}\\x`],
    ['no slashes', (port: number) => `https:127.0.0.1:${port}/`],
    ['blanks around', (port: number) => ` \thttps://127.0.0.1:${port}/ `],
    ['line breaks inside', (port: number) => `ht\ntps://127.0\n.0.1:${port}/`],
    ['a fragment that looks like the host', (port: number) => `https://127.0.0.1:${port}#@example.com/`],
    ['file', () => 'file:///etc/passwd'],
    ['ftp', () => 'ftp://127.0.0.1/'],
    ['gopher', () => 'gopher://127.0.0.1/_x'],
    ['data', () => 'data:text/plain,x'],
    ['javascript', () => 'javascript:alert(1)'],
    ['blob', () => 'blob:https://127.0.0.1/x'],
    ['ws', (port: number) => `wss://127.0.0.1:${port}/`],
    ['a zone', (port: number) => `https://[fe80::1%25lo]:${port}/`],
    ['nothing', () => ''],
    ['no URL', () => 'not a url'],
    ['a path', () => '/etc/passwd'],
    ['two slashes', (port: number) => `//127.0.0.1:${port}/`],
    ['no host', () => 'https:///'],
    ['an invalid port', () => 'https://127.0.0.1:99999/'],
  ])('%s is rejected', async (_, url) => {
    for (const port of [ports.http, ports.https]) expect(await ask(url(port))).toMatchObject({ kind: 'refused' });
    expect(hits).toEqual([]);
  });

  it('a name that changes its address a moment later is resolved once: the checked address is the one used', async () => {
    let lookups = 0;
    const rebinding = async (): Promise<readonly HostAddress[]> => {
      lookups += 1;
      return [{ address: lookups === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
    };
    const server = createHttpServer((_, response) => response.writeHead(200, { connection: 'close' }).end('first'));
    const port = await listen(server, '127.0.0.1');
    const by = createOutboundClient({ allowLoopback: true, resolve: rebinding, userAgent: 'test' });
    expect(await ask(`http://rebinding.test:${port}/`, by)).toMatchObject({ kind: 'responded', status: 200 });
    expect(lookups).toBe(1);
    expect((await ask(`http://rebinding.test:${port}/`, by)).kind).toBe('refused');
    expect(lookups).toBe(2);
    await by.close();
    server.close();
  });

  it('a redirect to an internal address is an ordinary response, and is not followed', async () => {
    const connected: string[] = [];
    const redirecting = createHttpServer((request, response) => {
      connected.push(request.url ?? '');
      response.writeHead(302, { location: `http://127.0.0.1:${ports.http}/secret` }).end('elsewhere');
    });
    const port = await listen(redirecting, '127.0.0.1');
    const by = createOutboundClient({
      allowLoopback: true,
      resolve: createHostResolver(createDnsResolver({ servers: null })),
      userAgent: 'test',
    });
    const response = await ask(`http://127.0.0.1:${port}/start`, by);
    expect(response).toMatchObject({ kind: 'responded', status: 302, body: Buffer.from('elsewhere') });
    expect([connected, hits]).toEqual([['/start'], []]);
    await by.close();
    redirecting.close();
  });
});
