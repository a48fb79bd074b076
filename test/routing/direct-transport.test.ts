import { describe, expect, it } from 'vitest';
import type { DirectTransportOptions } from '../../packages/server/src/routing/direct-transport.ts';
import { openSmtpConnection } from '../../packages/server/src/smtp-client/smtp-connection.ts';
import type { RecipientVerdict, Transport } from '../../packages/server/src/smtp-client/transport.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startDirectWorld } from '../harness/direct-world.ts';
import { clientOptions, makeOutgoingMessage } from '../harness/smtp-client-options.ts';

const afterTest = useCleanUps();
const world = () => startDirectWorld(afterTest);

async function sendTo(transport: Transport, ...recipients: readonly string[]): Promise<readonly RecipientVerdict[]> {
  return await transport.send(makeOutgoingMessage({ recipients }));
}

describe('the transport direct', () => {
  it('sends a message to the mail server of its domain and reports it as delivered', async () => {
    const { sink, mx, transport } = await world();
    const server = await sink(2);
    mx('a.test', 2);
    const direct = transport();
    expect(direct).toMatchObject({ name: 'direct', acceptedMeans: 'delivered' });
    expect(await sendTo(direct, 'ann@a.test', 'bob@a.test')).toMatchObject([
      { recipient: 'ann@a.test', outcome: 'accepted', reply: { code: 250 } },
      { recipient: 'bob@a.test', outcome: 'accepted' },
    ]);
    expect(server.messages).toMatchObject([{ recipients: ['ann@a.test', 'bob@a.test'], from: 'bounces@sender.test' }]);
  });

  it('connects to the servers of each domain separately, and returns results in the order of the recipients', async () => {
    const { sink, mx, transport } = await world();
    const [one, two] = await Promise.all([
      sink(2),
      sink(3, { replies: { recipient: () => ({ code: 550, text: '5.1.1 nobody here' }) } }),
    ]);
    mx('a.test', 2);
    mx('b.test', 3);
    expect(await sendTo(transport(), 'one@a.test', 'no@b.test', 'two@A.test')).toMatchObject([
      { recipient: 'one@a.test', outcome: 'accepted' },
      { recipient: 'no@b.test', outcome: 'refused', reply: { code: 550, enhanced: '5.1.1' } },
      { recipient: 'two@A.test', outcome: 'accepted' },
    ]);
    expect(one.messages).toMatchObject([{ recipients: ['one@a.test', 'two@A.test'] }]);
    expect(two.messages).toEqual([]);
  });

  it('uses the address of a domain that has no MX records, and follows an MX that is an alias', async () => {
    const { dns, sink, transport } = await world();
    const [one, two] = await Promise.all([sink(2), sink(3)]);
    dns.set('a.test', 'A', ['127.0.0.2']);
    dns.set('b.test', 'MX', ['10 alias.b.test']);
    dns.set('alias.b.test', 'CNAME', ['mx3.test']);
    expect(await sendTo(transport(), 'a@a.test', 'b@b.test')).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'accepted' },
    ]);
    expect([one.messages.length, two.messages.length]).toEqual([1, 1]);
  });

  it('permanently rejects what accepts no mail: no such domain, a null MX, neither server nor address', async () => {
    const { dns, transport } = await world();
    dns.set('null.test', 'MX', ['0 .']);
    dns.set('empty.test', 'TXT', ['nothing else']);
    const verdicts = await sendTo(transport(), 'a@nowhere.test', 'a@null.test', 'a@empty.test');
    expect(verdicts).toMatchObject([
      { outcome: 'refused', classification: 'hard', reply: null, reason: expect.stringContaining('does not exist') },
      { outcome: 'refused', classification: 'hard', reason: expect.stringContaining('null MX') },
      { outcome: 'refused', classification: 'hard', reason: expect.stringContaining('neither a mail server nor') },
    ]);
  });

  it('defers, without blaming a server, when only the disabled address family has an address', async () => {
    const { dns, transport } = await world();
    dns.set('six.test', 'AAAA', ['2a00:1450::1']);
    dns.set('four.test', 'A', ['192.0.2.1']);
    dns.set('hosted.test', 'MX', ['10 six.test']);
    dns.set('empty.test', 'TXT', ['nothing else']);
    const over4 = transport({ sourceAddress: { ipv4: '127.0.0.77', ipv6: null } });
    const verdicts = await sendTo(over4, 'a@six.test', 'a@hosted.test', 'a@empty.test');
    expect(verdicts).toMatchObject([
      { outcome: 'deferred', reason: expect.stringContaining('configured to send only over IPv4') },
      { outcome: 'deferred', reason: expect.stringContaining('six.test has no IPv4 address') },
      { outcome: 'refused', classification: 'hard' },
    ]);
    expect(verdicts.map(({ classification }) => classification)).toEqual([undefined, undefined, 'hard']);
    const over6 = transport({ sourceAddress: { ipv4: null, ipv6: '::1' } });
    expect(await sendTo(over6, 'a@four.test')).toMatchObject([
      { outcome: 'deferred', reason: expect.stringContaining('configured to send only over IPv6') },
    ]);
    dns.set('half.test', 'MX', ['10 mx99.test']);
    dns.fail('mx99.test', 'AAAA', 'SERVFAIL');
    expect(await sendTo(over4, 'a@half.test')).toMatchObject([
      { outcome: 'deferred', reason: expect.stringContaining('The DNS lookup of') },
    ]);
  });

  it('defers while the DNS fails, for the MX and for the address', async () => {
    const { dns, mx, transport } = await world();
    dns.fail('a.test', 'MX', 'SERVFAIL');
    dns.fail('b.test', 'MX', 'silence');
    dns.fail('mx9.test', '*', 'SERVFAIL');
    mx('c.test', 9);
    const verdicts = await sendTo(transport({}, 300), 'a@a.test', 'a@b.test', 'a@c.test');
    expect(verdicts).toMatchObject([
      { outcome: 'deferred', reason: expect.stringContaining('The DNS lookup of') },
      { outcome: 'deferred', reason: expect.stringContaining('The DNS lookup of') },
      { outcome: 'deferred', reason: expect.stringContaining('lookup of the mail server mx9.test failed') },
    ]);
  });

  it('does not send to an address in place of a domain, nor to itself', async () => {
    const { dns, transport, sink } = await world();
    const server = await sink(2);
    dns.set('loop.test', 'MX', ['10 mail.postrider.test']);
    dns.set('mail.postrider.test', 'A', ['127.0.0.2']);
    expect(await sendTo(transport(), 'a@[127.0.0.2]', 'a@loop.test')).toMatchObject([
      { outcome: 'refused', classification: 'unknown', reason: expect.stringContaining('IP address') },
      { outcome: 'refused', classification: 'unknown', reason: expect.stringContaining('a loop') },
    ]);
    expect(server.connections).toBe(0);
  });

  it('returns one result for all recipients when the message must not be sent, without a query', async () => {
    const { dns, transport } = await world();
    expect(await sendTo(transport(), 'a@x.test', 'b@x.test\r\nDATA')).toMatchObject([
      { outcome: 'refused', reply: null },
      { outcome: 'refused', reply: null },
    ]);
    expect(dns.questions).toEqual([]);
  });
});

describe('the servers of a domain', () => {
  it('are tried by preference: when nothing listens or the greeting is temporary, the next is tried', async () => {
    const { name, sink, mx, transport } = await world();
    name(2);
    const busy = await sink(3, { replies: { connect: () => ({ code: 421, text: '4.3.2 too busy' }) } });
    const closed = await sink(4, { replies: { connect: () => ({ code: 554, text: 'no mail here' }) } });
    const good = await sink(5);
    mx('a.test', 2, 3, 4, 5);
    expect(await sendTo(transport(), 'a@a.test')).toMatchObject([{ outcome: 'accepted' }]);
    expect([busy.connections, closed.connections, good.messages.length]).toEqual([1, 1, 1]);
  });

  it('that are all unreachable defer the message, with their replies', async () => {
    const { dns, name, sink, mx, transport } = await world();
    name(2);
    await sink(3, { replies: { connect: () => ({ code: 421, text: '4.3.2 too busy' }) } });
    mx('a.test', 2, 3);
    dns.set('b.test', 'MX', ['10 mx2.test', '20 nothing.test']);
    const [one, two] = await sendTo(transport(), 'a@a.test', 'b@b.test');
    expect(one).toMatchObject({ outcome: 'deferred', reply: { code: 421, enhanced: '4.3.2' }, ambiguous: false });
    expect(one?.reason).toMatch(/mx2\.test \[127\.0\.0\.2\]:\d+ cannot be used: the connection was refused/);
    expect(two).toMatchObject({ outcome: 'deferred', reply: null });
    expect(two?.reason).toContain('The mail server nothing.test has no address.');
  });

  it('are not tried further once one has replied about the recipient', async () => {
    const { sink, mx, transport } = await world();
    for (const code of [450, 550]) {
      const first = await sink(code === 450 ? 2 : 3, { replies: { recipient: () => ({ code, text: 'no' }) } });
      const second = await sink(code === 450 ? 4 : 5);
      mx(`d${code}.test`, ...(code === 450 ? [2, 4] : [3, 5]));
      const [verdict] = await sendTo(transport(), `a@d${code}.test`);
      expect(verdict).toMatchObject({ outcome: code === 450 ? 'deferred' : 'refused', reply: { code } });
      expect([first.connections, second.connections]).toEqual([1, 0]);
    }
  });

  it('that drop the connection before the message leave the rest to the next, and no recipient gets two', async () => {
    const { sink, mx, transport } = await world();
    await sink(2, {
      pipelining: false,
      replies: {
        recipient: (recipient) =>
          recipient.startsWith('gone')
            ? { code: 550, text: '5.1.1 gone' }
            : recipient.startsWith('cut')
              ? 'drop'
              : undefined,
      },
    });
    const second = await sink(3);
    mx('a.test', 2, 3);
    expect(await sendTo(transport(), 'ok@a.test', 'gone@a.test', 'cut@a.test')).toMatchObject([
      { recipient: 'ok@a.test', outcome: 'accepted' },
      { recipient: 'gone@a.test', outcome: 'refused' },
      { recipient: 'cut@a.test', outcome: 'accepted' },
    ]);
    expect(second.messages).toMatchObject([{ recipients: ['ok@a.test', 'cut@a.test'] }]);
  });

  it('are five at most', async () => {
    const { name, sink, mx, transport } = await world();
    for (const host of [2, 3, 4, 5, 6]) name(host);
    const sixth = await sink(7);
    mx('a.test', 2, 3, 4, 5, 6, 7);
    const direct = transport();
    expect(await sendTo(direct, 'a@a.test')).toMatchObject([{ outcome: 'deferred' }]);
    // Those that did not respond are after the untried one.
    expect(await sendTo(direct, 'a@a.test')).toMatchObject([{ outcome: 'accepted' }]);
    expect(sixth.messages).toHaveLength(1);
  });

  it('that did not respond are skipped for five minutes, as long as there are others', async () => {
    const { clock, name, sink, scripted, mx, transport } = await world();
    const silent = await scripted(2, (c) => void c.socket.destroy());
    await sink(3);
    name(4);
    mx('a.test', 2, 3);
    const direct = transport();
    for (let message = 0; message < 3; message += 1) {
      expect(await sendTo(direct, 'a@a.test')).toMatchObject([{ outcome: 'accepted' }]);
    }
    expect(silent.connections).toBe(1);
    clock.advance(300_001);
    expect(await sendTo(direct, 'a@a.test')).toMatchObject([{ outcome: 'accepted' }]);
    expect(silent.connections).toBe(2);
  });

  it('are reached by IPv6 first and then by IPv4', async () => {
    const { dns, sink, mx, transport } = await world();
    const server = await sink(2);
    dns.set('mx2.test', 'AAAA', ['::1']);
    mx('a.test', 2);
    expect(await sendTo(transport(), 'a@a.test')).toMatchObject([{ outcome: 'accepted' }]);
    expect(server.messages).toHaveLength(1);
  });
});

describe('connections', () => {
  it('are kept for the next message to the same server, and closed after a hundred', async () => {
    const { sink, mx, transport } = await world();
    const server = await sink(2);
    mx('a.test', 2);
    mx('b.test', 2);
    const direct = transport();
    for (let message = 0; message < 101; message += 1) {
      expect(await sendTo(direct, message % 2 === 0 ? 'a@a.test' : 'b@b.test')).toMatchObject([
        { outcome: 'accepted' },
      ]);
    }
    expect(server.connections).toBe(2);
    expect(server.messages).toHaveLength(101);
  });

  it('stay with the one of several equal servers that has an open connection', async () => {
    const { dns, sink, transport } = await world();
    const servers = await Promise.all([sink(2), sink(3), sink(4)]);
    dns.set('a.test', 'MX', ['10 mx2.test', '10 mx3.test', '10 mx4.test']);
    const direct = transport({ random: Math.random });
    for (let message = 0; message < 12; message += 1) await sendTo(direct, 'a@a.test');
    expect(servers.reduce((sum, { connections }) => sum + connections, 0)).toBe(1);
  });

  it('are limited in total: idle ones are closed for the others', async () => {
    const { sink, mx, transport } = await world();
    const servers = await Promise.all([2, 3, 4, 5].map((host) => sink(host)));
    for (const host of [2, 3, 4, 5]) mx(`d${host}.test`, host);
    const direct = transport({ maxSockets: 2 });
    for (const host of [2, 3, 4, 5]) {
      const sends = Array.from({ length: 5 }, () => sendTo(direct, `a@d${host}.test`));
      for (const verdicts of await Promise.all(sends)) expect(verdicts).toMatchObject([{ outcome: 'accepted' }]);
      const open = servers.reduce((sum, { openConnections }) => sum + openConnections, 0);
      expect(open).toBeLessThanOrEqual(2);
    }
    const all = await Promise.all(
      [2, 3, 4, 5].flatMap((host) => [1, 2, 3].map(() => sendTo(direct, `a@d${host}.test`))),
    );
    expect(all.flat().every(({ outcome }) => outcome === 'accepted')).toBe(true);
    expect(servers.map(({ messages }) => messages.length)).toEqual([8, 8, 8, 8]);
  });

  it('are closed after the idle time', async () => {
    const { sink, mx, transport } = await world();
    const server = await sink(2);
    mx('a.test', 2);
    await sendTo(transport({ timeouts: { idleMs: 30 } }), 'a@a.test');
    await expect.poll(() => server.openConnections).toBe(0);
  });

  it('end with the transport: messages in progress and later ones are deferred', async () => {
    const { scripted, mx, transport } = await world();
    const server = await scripted(2, async (c) => c.open());
    mx('a.test', 2);
    const direct = transport();
    const under = sendTo(direct, 'a@a.test');
    const conversation = await server.conversation(1);
    await expect.poll(() => conversation.chunks.join('')).toContain('MAIL FROM');
    direct.abort();
    expect(await under).toMatchObject([{ outcome: 'deferred', reply: null, ambiguous: false }]);
    expect(await sendTo(direct, 'a@a.test')).toMatchObject([{ outcome: 'deferred' }]);
    expect(server.connections).toBe(1);
    await direct.close();
  });

  it('use the chosen source address, and its family alone', async () => {
    const { dns, scripted, mx, transport } = await world();
    const server = await scripted(2, async (c) => c.open());
    dns.set('mx2.test', 'AAAA', ['::1']);
    mx('a.test', 2);
    const direct = transport({ sourceAddress: { ipv4: '127.0.0.77', ipv6: null } });
    const under = sendTo(direct, 'a@a.test');
    expect((await server.conversation(1)).socket.remoteAddress).toBe('127.0.0.77');
    expect(dns.questions.filter(({ type }) => type === 'AAAA')).toEqual([]);
    direct.abort();
    await under;
  });
});

describe('the guard', () => {
  it.each(['127.0.0.2', '10.1.2.3', '169.254.169.254', '::1', '::ffff:127.0.0.2', 'fd00::1', '100.64.0.1'])(
    'connects to no server at %s',
    async (address) => {
      const { dns, sink, transport } = await world();
      const server = await sink(2);
      dns.set('mx2.test', address.includes(':') ? 'AAAA' : 'A', [address]);
      dns.set('a.test', 'MX', ['10 mx2.test']);
      if (address.includes(':')) dns.remove('mx2.test', 'A');
      const [verdict] = await sendTo(transport({ allowPrivate: false }), 'a@a.test');
      expect(verdict).toMatchObject({ outcome: 'refused', classification: 'unknown', reply: null });
      expect(verdict?.reason).toBe('The mail server mx2.test has an address that is not public.');
      expect(server.connections).toBe(0);
    },
  );

  it('skips a server with one internal address among others, and defers when another may respond later', async () => {
    const { dns, transport } = await world();
    dns.set('mixed.test', 'A', ['192.0.43.8', '10.0.0.1']);
    dns.set('a.test', 'MX', ['10 mixed.test', '20 late.test']);
    dns.fail('late.test', '*', 'SERVFAIL');
    expect(await sendTo(transport({ allowPrivate: false }), 'a@a.test')).toMatchObject([{ outcome: 'deferred' }]);
  });
});

describe('the guard at the socket', () => {
  it('sends nothing to a peer that is not allowed, whatever was looked up', async () => {
    const { scripted, port } = await world();
    const server = await scripted(2, (c) => c.say('220 inside.test\r\n'));
    const refusePeer = (address: string) => (address === '127.0.0.2' ? 'is an address of this machine' : null);
    const options = clientOptions(port, { host: '127.0.0.2', serverName: 'mx2.test', refusePeer });
    await expect(openSmtpConnection(options)).rejects.toThrow(
      `mx2.test [127.0.0.2]:${port} is not an allowed destination: its address is an address of this machine.`,
    );
    expect(await (await server.conversation(1)).line()).toBeNull();
  });
});

describe('the group of a domain', () => {
  it('is the provider of its servers, otherwise the domain', async () => {
    const { dns, transport } = await world();
    dns.set('a.test', 'MX', ['5 aspmx.l.google.com', '10 mx.a.test']);
    dns.fail('b.test', 'MX', 'SERVFAIL');
    const { groupOf } = transport();
    expect(await Promise.all(['a.test', 'b.test', 'c.test'].map((domain) => groupOf?.(domain)))).toEqual([
      'google.com',
      'b.test',
      'c.test',
    ]);
  });
});

describe('check', () => {
  const checkWith = async (changes: Partial<DirectTransportOptions>, fails = false) => {
    const { dns, transport } = await world();
    if (fails) dns.fail('*', '*', 'SERVFAIL');
    return await transport(changes).check();
  };

  it('passes when names can be looked up, and says so when they cannot', async () => {
    expect(await checkWith({})).toEqual({ ok: true, reason: null });
    expect(await checkWith({}, true)).toMatchObject({ ok: false, reason: expect.stringContaining('SERVFAIL') });
  });

  it('reports a source address that is not one of this machine', async () => {
    expect(await checkWith({ sourceAddress: { ipv4: '127.0.0.77', ipv6: null } })).toMatchObject({ ok: true });
    const { ok, reason } = await checkWith({ sourceAddress: { ipv4: '192.0.2.77', ipv6: null } });
    expect([ok, reason]).toEqual([false, expect.stringContaining('192.0.2.77 cannot be used on this machine')]);
  });
});

describe('the name in EHLO', () => {
  it('must be a host name, or the transport is not created', async () => {
    const { transport } = await world();
    expect(() => transport({ heloName: 'a b' })).toThrow(TypeError);
  });
});
