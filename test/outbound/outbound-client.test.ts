import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import {
  createOutboundClient,
  type OutboundClientOptions,
  type OutboundRequest,
} from '../../packages/server/src/outbound/outbound-client.ts';
import { refuseAddress } from '../../packages/server/src/outbound/public-address.ts';
import { createHostResolver } from '../../packages/server/src/outbound/resolve-host.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startDnsServer } from '../harness/dns-server.ts';
import { makeCertificate } from '../harness/self-made-certificate.ts';

const afterwards = useCleanUps();

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port; // A TCP server that listens has no other kind of address.
}

function clientOf(options: Partial<OutboundClientOptions> = {}) {
  const client = createOutboundClient({
    allowLoopback: true,
    resolve: createHostResolver(createDnsResolver({ servers: null })),
    userAgent: 'Postrider/test',
    ...options,
  });
  afterwards(() => client.close());
  return client;
}

async function ask(listener: RequestListener, request: Partial<OutboundRequest> = {}, options = {}) {
  const port = await listen(createServer(listener));
  const url = `http://127.0.0.1:${port}/file?x=1`;
  return await clientOf(options).request({ url, method: 'GET', maxBytes: 1_000_000, ...request });
}

describe('an allowed request', () => {
  it('returns status, headers and body, and identifies itself', async () => {
    const response = await ask(
      (request, response) => {
        response.writeHead(201, { 'x-two': ['a', 'b'], 'content-type': 'text/plain' });
        response.end(`${request.method} ${request.url} ${request.headers['user-agent']} ${request.headers['x-mine']}`);
      },
      { headers: { 'x-mine': 'yes' } },
    );
    expect(response).toMatchObject({
      kind: 'responded',
      status: 201,
      headers: { 'x-two': 'a, b', 'content-type': 'text/plain' },
      body: Buffer.from('GET /file?x=1 Postrider/test yes'),
      truncated: false,
    });
  });

  it('reaches localhost by name in development, without querying a name server', async () => {
    const port = await listen(createServer((_, response) => response.end('here')));
    const client = clientOf({ resolve: createHostResolver(createDnsResolver({ servers: ['127.0.0.1:9'] })) });
    for (const host of ['localhost', 'files.localhost', 'LOCALHOST.']) {
      const response = await client.request({ url: `http://${host}:${port}/`, method: 'GET', maxBytes: 100 });
      expect(response, host).toMatchObject({ kind: 'responded', body: Buffer.from('here') });
    }
  });

  it('sends a body by POST', async () => {
    const response = await ask(
      async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        response.end(Buffer.concat(chunks));
      },
      { method: 'POST', body: '{"a":1}' },
    );
    expect(response).toMatchObject({ kind: 'responded', body: Buffer.from('{"a":1}') });
  });

  it.each([0, 1, 999, 1_000, 1_001, 500_000])(
    'reads %i bytes up to the cap of 1,000, and reports truncation',
    async (length) => {
      const response = await ask((_, response) => response.end(Buffer.alloc(length, 'x')), { maxBytes: 1_000 });
      expect(response).toMatchObject({ body: Buffer.alloc(Math.min(length, 1_000), 'x'), truncated: length > 1_000 });
    },
  );

  it('ends the connection at the cap, however much is left', async () => {
    const isCut = Promise.withResolvers<void>();
    const response = await ask(
      (_, response) => {
        response.on('close', () => isCut.resolve());
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', more);
        more();
      },
      { maxBytes: 100_000 },
    );
    expect(response).toMatchObject({ kind: 'responded', truncated: true });
    await isCut.promise;
  });

  it('stops when there is no room for more', async () => {
    let room = 100_000;
    const reserveBytes = (bytes: number) => {
      room -= bytes;
      return room >= 0;
    };
    const response = await ask((_, response) => response.end(Buffer.alloc(400_000)), { reserveBytes });
    expect(response).toMatchObject({ kind: 'responded', truncated: true });
    expect(response.kind === 'responded' && response.body.length).toBeLessThanOrEqual(100_000);
  });

  it('offers HTTP/1.1 alone and verifies the certificate', async () => {
    const certificate = makeCertificate(['files.test']);
    const offered: (string | false | null)[] = [];
    const server = createHttpsServer(certificate, (request, response) => {
      offered.push('alpnProtocol' in request.socket ? (request.socket.alpnProtocol as string) : null); // A TLS socket has it.
      response.end('secret');
    });
    const port = await listen(server);
    const dns = await startDnsServer();
    afterwards(() => dns.close());
    dns.set('*.test', 'A', '127.0.0.1');
    const resolve = createHostResolver(createDnsResolver({ servers: [dns.address] }));
    const get = (host: string, options: Partial<OutboundClientOptions>) =>
      clientOf({ resolve, ...options }).request({ url: `https://${host}:${port}/`, method: 'GET', maxBytes: 100 });
    const trusting = { trustedCertificates: [certificate.cert] };
    expect(await get('files.test', trusting)).toMatchObject({ kind: 'responded', body: Buffer.from('secret') });
    expect(offered).toEqual(['http/1.1']);
    const untrusted = { kind: 'failed', reason: expect.stringMatching(/certificate or TLS failed/) };
    expect(await get('files.test', {})).toEqual(untrusted);
    expect(await get('other.test', trusting)).toEqual(untrusted);
    expect(offered).toHaveLength(1);
  });
});

describe('a request that fails', () => {
  it('does so at its timeout, whatever the server does meanwhile', async () => {
    const options = { totalMs: 300 };
    const late = { kind: 'failed', reason: 'it did not respond in time' };
    expect(await ask(() => undefined, {}, options)).toEqual(late);
    const timers = new Set<NodeJS.Timeout>();
    afterwards(() => timers.forEach(clearInterval));
    const drip: RequestListener = (_, response) => {
      response.writeHead(200);
      timers.add(setInterval(() => response.write('x'), 20));
    };
    expect(await ask(drip, {}, options)).toEqual(late);
  });

  it('ends with the caller’s signal', async () => {
    const stop = new AbortController();
    const response = await ask(() => stop.abort(), { signal: stop.signal });
    expect(response).toEqual({ kind: 'failed', reason: 'it did not respond in time' });
  });

  it('says in words what happened', async () => {
    const closed = createTcpServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo; // As above.
    closed.close();
    const dns = await startDnsServer();
    afterwards(() => dns.close());
    dns.fail('silent.test', '*', 'silence');
    dns.set('empty.test', 'TXT', 'no address');
    const client = clientOf({
      resolve: createHostResolver(createDnsResolver({ servers: [dns.address] })),
      connectMs: 300,
    });
    const reasonOf = async (url: string) => await client.request({ url, method: 'GET', maxBytes: 1 });
    expect(await reasonOf(`http://127.0.0.1:${port}/`)).toEqual({
      kind: 'failed',
      reason: 'the connection was refused',
    });
    expect(await reasonOf('http://gone.test/')).toEqual({ kind: 'failed', reason: 'its host name does not exist' });
    const unresolvable = clientOf({
      resolve: createHostResolver(createDnsResolver({ servers: [`127.0.0.1:${port}`] })),
      connectMs: 5_000,
    });
    expect(await unresolvable.request({ url: 'http://any.test/', method: 'GET', maxBytes: 1 })).toEqual({
      kind: 'failed',
      reason: 'the DNS lookup of its host name failed',
    });
    expect(await reasonOf('http://empty.test/')).toEqual({ kind: 'failed', reason: 'its host name has no address' });
    expect(await reasonOf('http://silent.test/')).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/in time/),
    });
    expect(await ask((request) => request.socket.destroy())).toEqual({
      kind: 'failed',
      reason: 'the connection was lost',
    });
    expect(await ask((request) => request.socket.end('no http\r\n\r\n'))).toMatchObject({ kind: 'failed' });
    const cut: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    expect(await ask(cut)).toEqual({ kind: 'failed', reason: 'the connection was lost' });
  });
});

describe('an address', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '::ffff:8.8.8.8',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
  ])('%s is public', (address) => {
    expect(refuseAddress(address, { allowLoopback: false })).toBeNull();
  });

  it('of this machine is allowed in development, and no other internal one', () => {
    const policy = { allowLoopback: true };
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
      expect(refuseAddress(address, policy)).toBeNull();
    for (const address of ['0.0.0.0', '::', '10.0.0.1', '169.254.169.254', 'fd00::1', '', 'x']) {
      expect(refuseAddress(address, policy)).not.toBeNull();
    }
  });
});
