import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import dnsPacket from 'dns-packet';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import type { DnsResolver } from '../../packages/server/src/dns/dns-resolver.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { createFakeClock } from '../harness/fake-clock.ts';

const TIMEOUT_MS = 150;

let server: TestDnsServer;
let dns: DnsResolver;
const afterwards = useCleanUps();

beforeAll(async () => {
  server = await startDnsServer();
});
afterAll(() => server.close());
beforeEach(() => {
  dns = createDnsResolver({ servers: [server.address], timeoutMs: TIMEOUT_MS });
});

const asked = (name: string) => server.questions.filter((question) => question.name === name);
const NINE = { kind: 'found', values: ['192.0.2.9'] };

describe('a server that cannot respond', () => {
  it('with SERVFAIL or REFUSED is a failure that says so, after one query', async () => {
    for (const how of ['SERVFAIL', 'REFUSED'] as const) {
      const name = `${how.toLowerCase()}.example`;
      server.fail(name, '*', how);
      expect(await dns.a(name)).toEqual({ kind: 'failed', reason: `${server.address} returned ${how}` });
      expect(asked(name)).toHaveLength(1);
    }
  });

  it('fails with the target of a CNAME too', async () => {
    server.set('to-broken.example', 'CNAME', 'broken.example');
    server.fail('broken.example', 'A', 'SERVFAIL');
    expect(await dns.a('to-broken.example')).toMatchObject({ kind: 'failed' });
  });

  it('because it is silent is queried twice, and abandoned in time', async () => {
    server.fail('silent.example', '*', 'silence');
    expect(await dns.a('silent.example')).toEqual({
      kind: 'failed',
      reason: `${server.address} did not respond in time`,
    });
    expect(asked('silent.example')).toHaveLength(2);
  });

  it('because nothing listens there is reported immediately', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const address = probe.address();
    const port = typeof address === 'object' ? address?.port : 0;
    probe.close();
    const silent = createDnsResolver({ servers: [`127.0.0.1:${port}`], timeoutMs: 60_000 });
    expect(await silent.a('any.example')).toEqual({
      kind: 'failed',
      reason: `127.0.0.1:${port} refused the connection`,
    });
  });

  it('with bytes that are no message is queried over TCP, and then fails', async () => {
    server.fail('garbage.example', '*', 'garbage');
    expect(await dns.a('garbage.example')).toEqual({
      kind: 'failed',
      reason: `${server.address} sent a response that cannot be parsed`,
    });
    expect(asked('garbage.example').map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
  });
});

describe('of several servers', () => {
  it('the next is used when the first is silent, and the silent one is not waited for again', async () => {
    const silent = await startDnsServer();
    afterwards(() => silent.close());
    silent.fail('*', '*', 'silence');
    server.set('n1.several.example', 'A', '192.0.2.9');
    server.set('n2.several.example', 'A', '192.0.2.9');
    const clock = createFakeClock();
    const both = createDnsResolver({ servers: [silent.address, server.address], timeoutMs: TIMEOUT_MS, clock });
    expect(await both.a('n1.several.example')).toEqual(NINE);
    expect(await both.a('n2.several.example')).toEqual(NINE);
    expect(silent.questions).toHaveLength(1);
    clock.advance(31_000);
    expect(await both.a('n1.several.example')).toEqual(NINE);
    expect(silent.questions).toHaveLength(2);
  });

  it('the next is used when the first rejects the query or returns garbage', async () => {
    for (const how of ['REFUSED', 'SERVFAIL', 'garbage'] as const) {
      const broken = await startDnsServer();
      afterwards(() => broken.close());
      broken.fail('*', '*', how);
      server.set('second.example', 'A', '192.0.2.9');
      const both = createDnsResolver({ servers: [broken.address, server.address], timeoutMs: TIMEOUT_MS });
      expect(await both.a('second.example'), how).toEqual(NINE);
    }
  });

  it('the first’s "no such name" is a response, and the next is not queried', async () => {
    const other = await startDnsServer();
    afterwards(() => other.close());
    const both = createDnsResolver({ servers: [server.address, other.address] });
    expect(await both.a('unknown.example')).toEqual({ kind: 'no-name' });
    expect(other.questions).toHaveLength(0);
  });

  it('each is named with its reason when none responds', async () => {
    const other = await startDnsServer();
    afterwards(() => other.close());
    other.fail('*', '*', 'REFUSED');
    server.fail('nobody.example', '*', 'SERVFAIL');
    const both = createDnsResolver({ servers: [server.address, other.address] });
    expect(await both.a('nobody.example')).toEqual({
      kind: 'failed',
      reason: `${server.address} returned SERVFAIL; ${other.address} returned REFUSED`,
    });
  });
});

describe('an invalid response', () => {
  type Packet = Parameters<typeof dnsPacket.encode>[0];
  type Send = (packet: Packet) => void;

  /** A server with a script of what to send for each query, from its own socket or another. */
  async function scripted(script: (query: dnsPacket.DecodedPacket, send: Send, stranger: Send, port: number) => void) {
    const own = createSocket('udp4').bind(0, '127.0.0.1');
    const other = createSocket('udp4').bind(0, '127.0.0.1');
    await Promise.all([once(own, 'listening'), once(other, 'listening')]);
    afterwards(() => own.close());
    afterwards(() => other.close());
    own.on('message', (bytes: Buffer, peer: RemoteInfo) => {
      const sendBy = (socket: typeof own) => (packet: Packet) => socket.send(dnsPacket.encode(packet), peer.port);
      script(dnsPacket.decode(bytes), sendBy(own), sendBy(other), peer.port);
    });
    return createDnsResolver({ servers: [`127.0.0.1:${own.address().port}`], timeoutMs: TIMEOUT_MS });
  }

  const responseTo = (query: dnsPacket.DecodedPacket, address: string, changes: Partial<Packet> = {}): Packet => ({
    type: 'response',
    id: query.id,
    questions: query.questions,
    answers: [{ type: 'A', name: query.questions?.[0]?.name ?? '', ttl: 60, data: address }],
    ...changes,
  });

  it('with a wrong id, question, type or direction is skipped for the true one', async () => {
    const by = await scripted((query, send) => {
      const forged = '203.0.113.66';
      send(responseTo(query, forged, { id: ((query.id ?? 0) + 1) % 0x10000 }));
      send(responseTo(query, forged, { questions: [{ type: 'A', name: 'other.example' }] }));
      send(responseTo(query, forged, { questions: [{ type: 'AAAA', name: 'target.example' }] }));
      send(responseTo(query, forged, { questions: [] }));
      send(responseTo(query, forged, { type: 'query' }));
      send(responseTo(query, '192.0.2.9'));
    });
    expect(await by.a('target.example')).toEqual(NINE);
  });

  it('from a wrong address is never read', async () => {
    const by = await scripted((query, send, stranger) => {
      stranger(responseTo(query, '203.0.113.66'));
      setImmediate(() => send(responseTo(query, '192.0.2.9')));
    });
    expect(await by.a('target.example')).toEqual(NINE);
    const onlyStranger = await scripted((query, _send, stranger) => stranger(responseTo(query, '203.0.113.66')));
    expect(await onlyStranger.a('target.example')).toMatchObject({ kind: 'failed' });
  });

  it('with records of other names contains nothing that was asked for', async () => {
    const by = await scripted((query, send) =>
      send(
        responseTo(query, '', { answers: [{ type: 'A', name: 'elsewhere.example', ttl: 60, data: '203.0.113.66' }] }),
      ),
    );
    expect(await by.a('target.example')).toEqual({ kind: 'no-record' });
  });

  it('that only names other servers is a failure, not "no record"', async () => {
    const authorities = [{ type: 'NS', name: 'example', ttl: 60, data: 'ns.example' }] as const;
    const by = await scripted((query, send) =>
      send(responseTo(query, '', { answers: [], authorities: [...authorities] })),
    );
    expect(await by.a('lame.example')).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('does not resolve names for us'),
    });
  });

  it('from a server older than EDNS is requested again without it', async () => {
    const seen: number[] = [];
    const by = await scripted((query, send) => {
      seen.push(query.additionals?.length ?? 0);
      const hasEdns = (query.additionals?.length ?? 0) > 0;
      send(hasEdns ? responseTo(query, '', { questions: [], answers: [], flags: 1 }) : responseTo(query, '192.0.2.9'));
    });
    expect(await by.a('old.example')).toEqual(NINE);
    expect(seen).toEqual([1, 0]);
  });

  it('is hard to forge: ids and source ports are random for each query', async () => {
    const ids = new Set<number | undefined>();
    const ports = new Set<number>();
    const by = await scripted((query, send, _stranger, port) => {
      ids.add(query.id);
      ports.add(port);
      send(responseTo(query, '192.0.2.9', { answers: [] }));
    });
    for (let index = 0; index < 40; index += 1) await by.a(`n${index}.example`);
    expect(ids.size).toBeGreaterThan(35);
    expect(ports.size).toBeGreaterThan(35);
  });
});
