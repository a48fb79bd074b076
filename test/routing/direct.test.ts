import type { Message } from '@postrider/core';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { describe, expect, it } from 'vitest';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type DirectWorld, startDirectWorld } from '../harness/direct-world.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const afterTest = useCleanUps();

/** A Postrider that delivers straight to the mail servers of a small internet, with its own domain in it. */
async function start(
  settings: Readonly<Record<string, string>> = {},
): Promise<{ world: DirectWorld; server: TestApp }> {
  const world = await startDirectWorld(afterTest);
  const server = await startTestApp({
    dnsServers: [world.dns.address],
    settings: {
      POSTRIDER_TRANSPORT: 'direct',
      POSTRIDER_MX_PORT: String(world.port),
      POSTRIDER_HELO_NAME: 'mail.sender.test',
      ...settings,
    },
  });
  afterTest(() => server.close());
  const { selector, publicKey } = await server.addDomain('sender.test');
  world.dns.set(`${selector}._domainkey.sender.test`, 'TXT', [`v=DKIM1; k=rsa; p=${publicKey}`]);
  return { world, server };
}

const send = async (server: TestApp, ...to: readonly string[]): Promise<string> => {
  const response = await server.send({ from: 'Ada <ada@sender.test>', to });
  expect(response.status).toBe(202);
  return response.body.id;
};

/** A message once it has so many entries of attempts. */
async function readOnce(server: TestApp, id: string, entries: number): Promise<Message> {
  const read = async () => (await server.call('GET', `/emails/${id}`)).body;
  await expect.poll(read, { timeout: 10_000, interval: 10 }).toSatisfy(({ attempts }) => attempts.length === entries);
  return await read();
}

describe('the transport direct', () => {
  it('delivers to the mail servers of several domains, and delivered is the final status', {
    tags: ['contract-messages.sent-direct', 'contract-settings.transport-direct'],
  }, async () => {
    const { world, server } = await start();
    const [one, two] = await Promise.all([world.sink(2), world.sink(3, { tls: 'starttls' })]);
    world.mx('one.test', 2);
    world.mx('two.test', 3);
    const id = await send(server, 'ann@one.test', 'bob@two.test', 'cid@one.test');
    expect((await server.settled(id)).body).toMatchObject({ status: 'delivered' });
    const first = one.messages.flatMap(({ recipients }) => recipients);
    expect(first.toSorted()).toEqual(['ann@one.test', 'cid@one.test']);
    expect(two.messages).toMatchObject([{ recipients: ['bob@two.test'], tls: true }]);
  });

  it('shows each server that was tried, the DNS failure of another domain, and a reused connection', {
    tags: ['emails-get.attempts'],
  }, async () => {
    const { world, server } = await start();
    await world.sink(3, { tls: 'starttls' });
    world.name(2);
    world.mx('one.test', 2, 3);
    world.dns.fail('two.test', 'MX', 'SERVFAIL');
    const id = await send(server, 'ann@one.test', 'bob@two.test');
    const { attempts } = await readOnce(server, id, 3);
    const byOutcome = attempts.toSorted((a, b) => a.recipients.join().localeCompare(b.recipients.join()));
    expect(byOutcome).toMatchObject([
      {
        ...{ number: 1, recipients: ['ann@one.test'], transport: 'direct', outcome: 'failed', conversation: null },
        server: { host: 'mx2.test', address: '127.0.0.2', port: world.port },
        reply: expect.stringContaining('ECONNREFUSED'),
      },
      {
        ...{ number: 1, recipients: ['ann@one.test'], outcome: 'accepted', connectionReused: false },
        server: { host: 'mx3.test', address: '127.0.0.3', port: world.port },
        tls: { verified: false },
      },
      { recipients: ['bob@two.test'], outcome: 'failed', server: null, conversation: null },
    ]);
    expect(new Set(attempts.map((attempt) => attempt.id)).size).toBe(3);
    const next = await readOnce(server, await send(server, 'cid@one.test'), 1);
    expect(next.attempts[0]).toMatchObject({ outcome: 'accepted', connectionReused: true });
    expect(next.attempts[0]?.conversation?.[0]?.line).toMatch(/^(?:RSET|MAIL FROM)/);
  });

  it('signs so that a verifier with the same DNS agrees', async () => {
    const { world, server } = await start();
    const sink = await world.sink(2);
    world.mx('one.test', 2);
    await server.settled(await send(server, 'ann@one.test'));
    const dns = createDnsResolver({ servers: [world.dns.address] });
    const verified = await dkimVerify(sink.messages[0]?.raw ?? Buffer.alloc(0), {
      resolver: async (name: string, type: string) => {
        const response = type === 'TXT' ? await dns.txt(name) : null;
        if (response?.kind !== 'found') throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
        return response.values.map((value) => [value]);
      },
    });
    expect(verified.results).toMatchObject([{ signingDomain: 'sender.test', status: { result: 'pass' } }]);
  });

  it('keeps a rejecting domain from affecting another, and bounces what does not exist', async () => {
    const { world, server } = await start();
    const good = await world.sink(2);
    await world.sink(3, { replies: { recipient: () => ({ code: 550, text: '5.1.1 no such user' }) } });
    world.mx('good.test', 2);
    world.mx('bad.test', 3);
    const id = await send(server, 'ann@good.test', 'bob@bad.test', 'cid@nowhere.test');
    const { body } = await server.settled(id);
    const byRecipient = Object.fromEntries(
      body.events
        .filter(({ type }: { type: string }) => type === 'bounced' || type === 'delivered')
        .map((event: { recipient: string; type: string; classification: string | null }) => [
          event.recipient,
          [event.type, event.classification],
        ]),
    );
    expect(byRecipient).toEqual({
      'ann@good.test': ['delivered', null],
      'bob@bad.test': ['bounced', 'hard'],
      'cid@nowhere.test': ['bounced', 'hard'],
    });
    expect(good.messages).toHaveLength(1);
  });

  it('delivers deferred messages later, by the retry schedule', async () => {
    const { world, server } = await start();
    let isBusy = true;
    const sink = await world.sink(2, {
      replies: { recipient: () => (isBusy ? { code: 451, text: '4.3.0 try again' } : undefined) },
    });
    world.mx('one.test', 2);
    const id = await send(server, 'ann@one.test');
    const read = async () => (await server.call('GET', `/emails/${id}`)).body;
    await expect.poll(async () => (await read()).status, { timeout: 8_000 }).toBe('deferred');
    isBusy = false;
    server.clock.advance(60_000);
    await server.pump();
    expect((await server.settled(id)).body).toMatchObject({ status: 'delivered' });
    expect(sink.messages).toHaveLength(1);
  });

  it('sends its configured name in EHLO, and is ready when the DNS is', async () => {
    const { world, server } = await start();
    const scripted = await world.scripted(2, async (c) => c.open());
    world.mx('one.test', 2);
    await send(server, 'ann@one.test');
    const conversation = await scripted.conversation(1);
    await expect.poll(() => conversation.chunks.join('')).toMatch(/^EHLO mail\.sender\.test\r\n/);
    expect((await server.call('GET', '/health/ready')).body.checks.transport).toEqual({ status: 'ok', reason: null });
  });

  it('is not ready while no name can be looked up', async () => {
    const { world, server } = await start();
    world.dns.fail('*', '*', 'SERVFAIL');
    const { status, body } = await server.call('GET', '/health/ready');
    expect(status).toBe(503);
    expect(body.checks.transport).toMatchObject({
      status: 'failing',
      reason: expect.stringContaining('No mail server'),
    });
  });
});

describe('the transport direct in production', () => {
  it('connects to no address that is not public', async () => {
    const { world, server } = await start({
      POSTRIDER_MODE: 'production',
      POSTRIDER_ROLES: 'api,worker',
    });
    const sink = await world.sink(2);
    world.mx('inside.test', 2);
    const id = await send(server, 'ann@inside.test');
    const { body } = await server.settled(id);
    expect(body.status).toBe('bounced');
    expect(body.events.find(({ type }: { type: string }) => type === 'bounced')).toMatchObject({
      classification: 'unknown',
      detail: 'The mail server mx2.test has an address that is not public.',
    });
    expect(sink.connections).toBe(0);
  });
});
