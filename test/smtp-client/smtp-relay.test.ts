import { describe, expect, it } from 'vitest';
import { parseRelayUrl } from '../../packages/server/src/smtp-client/relay-url.ts';
import { createSmtpRelayTransport, type SmtpRelayOptions } from '../../packages/server/src/smtp-client/smtp-relay.ts';
import type { Transport } from '../../packages/server/src/smtp-client/transport.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startScriptedServer } from '../harness/scripted-smtp-server.ts';
import { makeOutgoingMessage } from '../harness/smtp-client-options.ts';
import { type SmtpSinkOptions, startSmtpSink } from '../harness/smtp-sink.ts';
import { startFaultProxy, type TcpFaults } from '../harness/tcp-fault-proxy.ts';

const afterTest = useCleanUps();

async function sink(options: SmtpSinkOptions = {}) {
  const server = await startSmtpSink(options);
  afterTest(() => server.close());
  return server;
}

function relayTo(url: string, changes: Partial<SmtpRelayOptions> = {}): Transport {
  const result = parseRelayUrl(url);
  if (!result.ok) throw new Error(result.problems.join(' '));
  const transport = createSmtpRelayTransport({ relay: result.relay, heloName: 'mail.postrider.test', ...changes });
  afterTest(() => transport.close());
  return transport;
}

async function proxyTo(targetPort: number, faults: Partial<TcpFaults> = {}) {
  const proxy = await startFaultProxy({ targetPort, faults });
  afterTest(() => proxy.close());
  return proxy;
}

describe('the smtp-relay transport', () => {
  it('sends messages and reports them as sent', async () => {
    const server = await sink();
    const transport = relayTo(`smtp://127.0.0.1:${server.port}`);
    expect(transport).toMatchObject({ name: 'smtp-relay', acceptedMeans: 'sent' });
    const outgoing = makeOutgoingMessage({ recipients: ['a@x.test', 'b@x.test'] });
    const verdicts = await transport.send(outgoing);
    expect(verdicts.map(({ recipient, outcome }) => [recipient, outcome])).toEqual([
      ['a@x.test', 'accepted'],
      ['b@x.test', 'accepted'],
    ]);
    expect(server.messages[0]).toMatchObject({ from: outgoing.mailFrom, recipients: outgoing.recipients, tls: false });
    expect(server.messages[0]?.raw.equals(outgoing.data)).toBe(true);
  });

  it('returns one result for all recipients when the message must not be sent, without a connection', async () => {
    const server = await sink();
    const transport = relayTo(`smtp://127.0.0.1:${server.port}`);
    const unsafe = ['a@x.test', 'b@x.test\r\nDATA'];
    expect(await transport.send(makeOutgoingMessage({ recipients: unsafe }))).toMatchObject([
      { recipient: unsafe[0], outcome: 'refused', reply: null, ambiguous: false },
      { recipient: unsafe[1], outcome: 'refused', reply: null, ambiguous: false },
    ]);
    const [verdict] = await transport.send(makeOutgoingMessage({ data: Buffer.from('a\nb\r\n') }));
    expect(verdict).toMatchObject({ outcome: 'refused' });
    expect(verdict?.reason).toContain('line feed');
    expect(server.connections).toBe(0);
  });

  it('says why it does not reach the relay, without the password', async () => {
    const transport = relayTo('smtp://ann:hunter2@127.0.0.1:1');
    const [verdict] = await transport.send(makeOutgoingMessage());
    expect(verdict).toMatchObject({ outcome: 'deferred', reply: null, ambiguous: false });
    expect(verdict?.reason).toContain('127.0.0.1:1 cannot be used: the connection was refused (ECONNREFUSED)');
    expect(JSON.stringify([verdict, await transport.check()])).not.toContain('hunter2');
  });

  it('sends over many parallel connections without losing or duplicating a message', async () => {
    const server = await sink();
    const transport = relayTo(`smtp://127.0.0.1:${server.port}`, { maxConnections: 8 });
    const sends = Array.from({ length: 400 }, (_, index) => {
      const data = Buffer.from(`Subject: ${index}\r\n\r\n${'.x\r\n'.repeat(index % 50)}`);
      return transport.send(makeOutgoingMessage({ recipients: [`r${index}@x.test`], data }));
    });
    const verdicts = (await Promise.all(sends)).flat();
    expect(verdicts.every(({ outcome }) => outcome === 'accepted')).toBe(true);
    const subjects = server.messages.map(
      ({ raw, recipients }) => `${recipients[0]} ${raw.toString().split('\r\n')[0]}`,
    );
    expect(subjects.sort()).toEqual(
      Array.from({ length: 400 }, (_, index) => `r${index}@x.test Subject: ${index}`).sort(),
    );
    expect(server.connections).toBeLessThanOrEqual(12);
  });
});

describe('TLS and login', () => {
  it.each([
    ['', 'none', false],
    ['', 'starttls', true],
    ['?tls=none', 'starttls', false],
    ['?tls=starttls', 'starttls', true],
    ['?tls=implicit', 'implicit', true],
  ] as const)('on a loopback host needs no valid certificate: %j to a server with %s', async (query, tls, secured) => {
    const server = await sink({ tls, auth: { user: 'ann', pass: 'p@ss' } });
    const transport = relayTo(`smtp://ann:p%40ss@localhost:${server.port}${query}`);
    expect(await transport.send(makeOutgoingMessage())).toMatchObject([{ outcome: 'accepted' }]);
    expect(server.messages[0]).toMatchObject({ tls: secured, user: 'ann' });
  });

  // 0.0.0.0 leads to this machine and is none of the loopback names.
  it.each([
    ['starttls', 'starttls'],
    ['implicit', 'implicit'],
  ] as const)('elsewhere needs a valid certificate with tls=%s', async (mode, tls) => {
    const server = await sink({ tls });
    const [verdict] = await relayTo(`smtp://0.0.0.0:${server.port}?tls=${mode}`).send(makeOutgoingMessage());
    expect(verdict?.outcome).toBe('deferred');
    expect(verdict?.reason).toMatch(/certificate/);
    expect(server.messages).toHaveLength(0);
  });

  it('elsewhere sends the password to no unverified server, unless the operator set tls=none', async () => {
    const server = await sink({ tls: 'starttls', auth: { user: 'ann', pass: 'hunter2' } });
    const [verdict] = await relayTo(`smtp://ann:hunter2@0.0.0.0:${server.port}`).send(makeOutgoingMessage());
    expect(verdict).toMatchObject({ outcome: 'deferred', reply: null });
    expect(verdict?.reason).toContain('was not sent the user name and password');
    const reason = relayTo(`smtp://ann:hunter2@0.0.0.0:${server.port}?tls=none`);
    expect(await reason.send(makeOutgoingMessage())).toMatchObject([{ outcome: 'accepted' }]);
  });

  it('elsewhere still sends without TLS or with any certificate when there is no password', async () => {
    const server = await sink({ tls: 'starttls' });
    expect(await relayTo(`smtp://0.0.0.0:${server.port}`).send(makeOutgoingMessage())).toMatchObject([
      { outcome: 'accepted' },
    ]);
    expect(server.messages[0]?.tls).toBe(true);
  });
});

describe('the name in EHLO', () => {
  it('must be a host name, or the transport is not created', () => {
    expect(() => relayTo('smtp://127.0.0.1', { heloName: 'a b' })).toThrow(TypeError);
  });
});

describe('check', () => {
  it('passes for a reachable relay, without logging in', async () => {
    const server = await sink({ auth: { user: 'ann', pass: 'right' } });
    expect(await relayTo(`smtp://ann:wrong@127.0.0.1:${server.port}`).check()).toEqual({ ok: true, reason: null });
  });

  it('says what is wrong', async () => {
    expect(await relayTo('smtp://127.0.0.1:1').check()).toMatchObject({
      ok: false,
      reason: expect.stringContaining('refused'),
    });
    const closed = await sink({ replies: { connect: () => ({ code: 554, text: 'go away' }) } });
    const result = await relayTo(`smtp://127.0.0.1:${closed.port}`).check();
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining('sent 554 as its greeting') });
  });

  it('connects to the relay once for many callers', async () => {
    const server = await sink();
    const transport = relayTo(`smtp://127.0.0.1:${server.port}`);
    await Promise.all([transport.check(), transport.check()]);
    await transport.check();
    expect(server.connections).toBe(1);
  });
});

describe('network failures', () => {
  it('a slow connection costs time and nothing else', async () => {
    const server = await sink();
    const proxy = await proxyTo(server.port, { delayMs: 20 });
    const transport = relayTo(`smtp://127.0.0.1:${proxy.port}`);
    expect(await transport.send(makeOutgoingMessage())).toMatchObject([{ outcome: 'accepted' }]);
    expect(server.messages).toHaveLength(1);
  });

  it('a stalled connection ends at the timeout', async () => {
    const server = await sink();
    const proxy = await proxyTo(server.port);
    // Long enough for the tenth of a second that the sink waits before its greeting.
    const timeouts = { commandMs: 800, afterDotMs: 800 };
    const transport = relayTo(`smtp://127.0.0.1:${proxy.port}`, { timeouts });
    expect(await transport.send(makeOutgoingMessage())).toMatchObject([{ outcome: 'accepted' }]);
    proxy.faults.halfOpen = true;
    expect(await transport.send(makeOutgoingMessage())).toMatchObject([
      { outcome: 'deferred', ambiguous: false, reply: null },
    ]);
  });

  it('a kept connection that is reset costs no message', async () => {
    const server = await sink();
    const proxy = await proxyTo(server.port);
    const transport = relayTo(`smtp://127.0.0.1:${proxy.port}`);
    await transport.send(makeOutgoingMessage());
    proxy.reset();
    expect(await transport.send(makeOutgoingMessage())).toMatchObject([{ outcome: 'accepted' }]);
    expect(proxy.connections).toBe(2);
  });

  it.each(['none', 'starttls'] as const)(
    'a relay that keeps the message and drops the connection leaves the verdict ambiguous (TLS %s)',
    async (tls) => {
      const server = await sink({ tls, replies: { message: () => 'keep-and-drop' } });
      const transport = relayTo(`smtp://127.0.0.1:${server.port}`);
      expect(await transport.send(makeOutgoingMessage())).toMatchObject([{ outcome: 'deferred', ambiguous: true }]);
      expect(server.messages).toHaveLength(1);
    },
  );

  it.each(['close', 'reset'] as const)(
    'a connection that is cut (%s) at any byte leaves no copy without an ambiguous verdict',
    async (cutBy) => {
      const server = await sink();
      const data = Buffer.from('a\r\n');
      const sendCutAt = async (limits: Partial<TcpFaults>) => {
        const proxy = await startFaultProxy({ targetPort: server.port, faults: { ...limits, cutBy } });
        const transport = relayTo(`smtp://127.0.0.1:${proxy.port}`, { maxConnections: 1 });
        const deliveryId = JSON.stringify(limits);
        const [verdict] = await transport.send(
          makeOutgoingMessage({ data, recipients: [`${deliveryId.replace(/\W+/g, '')}@x.test`] }),
        );
        await transport.close();
        await proxy.close();
        return verdict;
      };
      const places = Array.from({ length: 30 }, (_, index) => index * 12 + 1);
      const limits = places.flatMap((place) => [{ cutAfterToTarget: place }, { cutAfterToClient: place }]);
      const verdicts = await Promise.all(limits.map(sendCutAt));
      const arrived = new Set(server.messages.flatMap(({ recipients }) => recipients));
      for (const verdict of verdicts) {
        if (verdict?.outcome === 'accepted') expect(arrived).toContain(verdict.recipient);
        else if (verdict?.ambiguous === false) expect(arrived).not.toContain(verdict.recipient);
        expect(verdict?.outcome).not.toBe('refused');
      }
      expect(verdicts.some((verdict) => verdict?.outcome === 'accepted')).toBe(true);
      expect(verdicts.some((verdict) => verdict?.ambiguous === true)).toBe(true);
      expect(verdicts.some((verdict) => verdict?.outcome === 'deferred' && !verdict.ambiguous)).toBe(true);
    },
  );

  it('a relay that is back accepts the next message', async () => {
    const first = await startSmtpSink();
    const transport = relayTo(`smtp://127.0.0.1:${first.port}`);
    await transport.send(makeOutgoingMessage());
    await first.close();
    expect(await transport.send(makeOutgoingMessage())).toMatchObject([{ outcome: 'deferred' }]);
    const second = await sink({ port: first.port });
    expect(await transport.send(makeOutgoingMessage())).toMatchObject([{ outcome: 'accepted' }]);
    expect(second.messages).toHaveLength(1);
  });

  it('a relay that sends nonsense defers, message after message', async () => {
    const server = await startScriptedServer((c) => c.say('\u0000\u0001 welcome to the machine\r\n'));
    afterTest(() => server.close());
    const transport = relayTo(`smtp://127.0.0.1:${server.port}`);
    for (let message = 0; message < 3; message += 1) {
      expect(await transport.send(makeOutgoingMessage())).toMatchObject([{ outcome: 'deferred', reply: null }]);
    }
  });
});
