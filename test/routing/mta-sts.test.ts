import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type DirectWorld, startDirectWorld } from '../harness/direct-world.ts';
import { makeCertificate, type SelfMadeCertificate } from '../harness/self-made-certificate.ts';
import { makeOutgoingMessage } from '../harness/smtp-client-options.ts';

const afterTest = useCleanUps();

interface PolicyResponse {
  readonly status?: number;
  readonly type?: string;
  readonly location?: string;
  readonly body?: string;
}

const ENFORCE = 'version: STSv1\r\nmode: enforce\r\nmx: mx2.test\r\nmax_age: 86400\r\n';

/** The web server of `mta-sts.a.test`, and a world whose mail servers' certificates are known. */
async function startPolicies(
  world: DirectWorld,
  served: { now: PolicyResponse },
  names: readonly string[] = ['mta-sts.a.test'],
) {
  const certificate = makeCertificate(names);
  const sockets = new Set<Socket>();
  const paths: string[] = [];
  const server = createServer(certificate, (request, response) => {
    paths.push(`${request.headers.host?.split(':')[0]}${request.url}`);
    const { status = 200, type = 'text/plain', body = ENFORCE, location } = served.now;
    response.writeHead(status, { 'content-type': type, ...(location === undefined ? {} : { location }) });
    response.end(body);
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  afterTest(stop);
  world.dns.set('mta-sts.a.test', 'A', ['127.0.0.1']);
  world.dns.set('_mta-sts.a.test', 'TXT', ['v=STSv1; id=1;']);
  // A TCP server that listens has no other kind of address.
  return { certificate, paths, stop, port: (server.address() as AddressInfo).port };
}

async function startWorld(
  now: PolicyResponse = {},
  mailCertificate: SelfMadeCertificate | null = makeCertificate(['mx2.test']),
) {
  const world = await startDirectWorld(afterTest);
  const served = { now };
  const policies = await startPolicies(world, served);
  const server = await world.sink(2, mailCertificate === null ? {} : { tls: 'starttls', certificate: mailCertificate });
  world.mx('a.test', 2);
  const direct = world.transport({
    stsPort: policies.port,
    trustedCertificates: [policies.certificate.cert, ...(mailCertificate === null ? [] : [mailCertificate.cert])],
  });
  const send = async () => {
    const [verdict] = await direct.send(makeOutgoingMessage({ recipients: ['ann@a.test'] }));
    return verdict;
  };
  return { ...world, served, policies, server, direct, send };
}

describe('an MTA-STS policy that is enforced', () => {
  it('is fetched once, and satisfied by a server it names with TLS and a valid certificate', async () => {
    const { send, server, policies } = await startWorld();
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    expect(server.messages).toMatchObject([{ tls: true }, { tls: true }]);
    expect(policies.paths).toEqual(['mta-sts.a.test/.well-known/mta-sts.txt']);
  });

  it.each([
    ['no TLS', null, 'does not offer STARTTLS'],
    ['a certificate for another name', makeCertificate(['other.test']), 'the certificate is for another name'],
    ['a certificate that has expired', makeCertificate(['mx2.test'], -2), 'the certificate has expired'],
  ])('defers when the server has %s', async (_what, certificate, why) => {
    const { send, server } = await startWorld({}, certificate);
    const verdict = await send();
    expect(verdict).toMatchObject({ outcome: 'deferred', reply: null, ambiguous: false });
    expect(verdict?.reason).toContain('The MTA-STS policy of a.test requires TLS with a valid certificate.');
    expect(verdict?.reason).toContain(why);
    expect(server.messages).toEqual([]);
  });

  it('defers when it names none of the servers, and skips those it does not name', async () => {
    const { send, mx, sink, server } = await startWorld();
    const other = await sink(3);
    mx('a.test', 3);
    const verdict = await send();
    expect(verdict).toMatchObject({ outcome: 'deferred' });
    expect(verdict?.reason).toBe('The MTA-STS policy of a.test allows none of its mail servers (mx3.test).');
    mx('a.test', 3, 2);
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    expect([server.messages.length, other.connections]).toEqual([1, 0]);
  });

  it('shares no connection with mail that it does not protect', async () => {
    const { direct, mx, send, server } = await startWorld();
    mx('b.test', 2);
    await direct.send(makeOutgoingMessage({ recipients: ['bob@b.test'] }));
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    expect(server.connections).toBe(2);
  });

  it('stays in force when its announcement disappears, its server is gone, or a newer one cannot be fetched', async () => {
    const { send, dns, mx, sink, policies, clock, served } = await startWorld();
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    const other = await sink(3);
    mx('a.test', 3);
    dns.remove('_mta-sts.a.test');
    expect(await send()).toMatchObject({ outcome: 'deferred' });
    dns.fail('_mta-sts.a.test', '*', 'SERVFAIL');
    expect(await send()).toMatchObject({ outcome: 'deferred' });
    served.now = { status: 500 };
    dns.set('_mta-sts.a.test', 'TXT', ['v=STSv1; id=2;']);
    expect(await send()).toMatchObject({ outcome: 'deferred' });
    await policies.stop();
    clock.advance(3_600_000);
    expect(await send()).toMatchObject({ outcome: 'deferred' });
    expect(other.connections).toBe(0);
    clock.advance(24 * 3_600_000);
    expect(await send()).toMatchObject({ outcome: 'accepted' });
  });

  it('is replaced when a new id is announced', async () => {
    const { send, dns, mx, sink, served } = await startWorld();
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    await sink(3);
    mx('a.test', 3);
    served.now = { body: 'version: STSv1\nmode: none\nmax_age: 60\n' };
    expect(await send()).toMatchObject({ outcome: 'deferred' });
    dns.set('_mta-sts.a.test', 'TXT', ['v=STSv1; id=2;']);
    expect(await send()).toMatchObject({ outcome: 'accepted' });
  });

  it('is renewed before it ends', async () => {
    const { send, policies, clock } = await startWorld();
    await send();
    clock.advance(44_000_000);
    await send();
    await expect.poll(() => policies.paths.length).toBe(2);
  });
});

describe('a policy that is not in force', () => {
  it.each<readonly [string, PolicyResponse]>([
    ['in mode testing', { body: ENFORCE.replace('enforce', 'testing').replace('mx2', 'other') }],
    ['in mode none', { body: 'version: STSv1\nmode: none\nmax_age: 60\n' }],
    ['after a redirect', { status: 302, location: 'https://mta-sts.a.test/elsewhere' }],
    ['that is missing', { status: 404 }],
    ['of another type', { type: 'text/html', body: ENFORCE.replace('mx2', 'other') }],
    ['of more than 64 KB', { body: `${ENFORCE.replace('mx2', 'other')}${'x'.repeat(65_536)}` }],
    ['with invalid content', { body: 'hello' }],
  ])('%s blocks nothing, and is not fetched again immediately', async (_what, given) => {
    const { send, policies, server } = await startWorld(given, null);
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    expect(server.messages).toMatchObject([{ tls: false }, { tls: false }]);
    expect(policies.paths).toHaveLength(1);
  });

  it('whose server has the wrong certificate blocks nothing', async () => {
    const world = await startDirectWorld(afterTest);
    const policies = await startPolicies(world, { now: {} }, ['someone-else.test']);
    const server = await world.sink(2);
    world.mx('a.test', 2);
    const direct = world.transport({ stsPort: policies.port, trustedCertificates: [policies.certificate.cert] });
    expect(await direct.send(makeOutgoingMessage({ recipients: ['ann@a.test'] }))).toMatchObject([
      { outcome: 'accepted' },
    ]);
    expect([server.messages.length, policies.paths]).toEqual([1, []]);
  });
});
