import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { DirectTransportOptions } from '../../packages/server/src/routing/direct-transport.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type DirectWorld, startDirectWorld } from '../harness/direct-world.ts';
import type { Conversation } from '../harness/scripted-smtp-server.ts';
import { makeCertificate } from '../harness/self-made-certificate.ts';
import { makeOutgoingMessage } from '../harness/smtp-client-options.ts';
import type { SmtpSinkOptions } from '../harness/smtp-sink.ts';
import { startFaultProxy } from '../harness/tcp-fault-proxy.ts';

const afterTest = useCleanUps();
const QUICK = { timeouts: { connectMs: 400, commandMs: 400, afterDotMs: 400 } };

/** A domain whose first server is the bad one, and whose second is good where a good one is wanted. */
async function startBad(
  bad: ((conversation: Conversation) => Promise<void> | void) | SmtpSinkOptions,
  {
    second = true,
    changes = QUICK,
  }: { readonly second?: boolean; readonly changes?: Partial<DirectTransportOptions> } = {},
) {
  const world = await startDirectWorld(afterTest);
  const first = await (typeof bad === 'function' ? world.scripted(2, bad) : world.sink(2, bad));
  const good = second ? await world.sink(3) : null;
  world.mx('a.test', ...(second ? [2, 3] : [2]));
  const direct = world.transport(changes);
  const send = async () => {
    const [verdict] = await direct.send(makeOutgoingMessage({ recipients: ['ann@a.test'] }));
    return verdict;
  };
  return { ...world, first, good, direct, send };
}

describe('a server that fails before the message is sent', () => {
  it.each<readonly [string, (conversation: Conversation) => Promise<void> | void]>([
    ['that sends nothing', () => undefined],
    ['that greets with garbage', (c) => c.say('\u0000\u0001 welcome to the machine\r\n')],
    ['that speaks another protocol', (c) => c.say('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['that begins a greeting and never ends it', (c) => c.say('220-one\r\n220-two\r\n')],
    ['whose greeting is a line without an end', (c) => c.say(`220 ${'x'.repeat(100_000)}`)],
    ['whose greeting has lines without end', (c) => c.say('220-more\r\n'.repeat(10_000))],
    ['that closes as soon as it accepts the connection', (c) => c.socket.destroy()],
    ['that greets with 421', (c) => c.say('421 4.3.2 Service not available\r\n')],
    ['that greets with 554', (c) => c.say('554 5.3.2 no mail service here\r\n')],
    [
      'that replies to EHLO with 421',
      async (c) => {
        c.say('220 hi\r\n');
        await c.reply('421 4.4.5 later\r\n');
      },
    ],
    [
      'that replies to EHLO with two codes',
      async (c) => {
        c.say('220 hi\r\n');
        await c.reply('250-a\r\n500 b\r\n');
      },
    ],
    [
      'that disconnects after MAIL',
      async (c) => {
        await c.open();
        await c.line();
        c.socket.destroy();
      },
    ],
    ['that stops responding after EHLO', async (c) => c.open('PIPELINING')],
    [
      'that replies to MAIL with garbage',
      async (c) => {
        await c.open();
        await c.reply('maybe\r\n');
      },
    ],
    [
      'that replies to a recipient with 354',
      async (c) => {
        await c.open();
        await c.reply('250 ok\r\n');
        await c.reply('354 go\r\n');
      },
    ],
  ])('%s', async (_what, script) => {
    const { send, first, good } = await startBad(script);
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    expect(good?.messages).toHaveLength(1);
    expect(first.connections).toBe(1);
  });

  it('defers the message if there is no next server', async () => {
    const { send } = await startBad(() => undefined, { second: false });
    const verdict = await send();
    expect(verdict).toMatchObject({ outcome: 'deferred', reply: null, ambiguous: false });
    expect(verdict?.reason).toMatch(
      /^mx2\.test \[127\.0\.0\.2\]:\d+ sent nothing for 0\.4 s while we waited for the greeting\.$/,
    );
  });
});

describe('names without an address', () => {
  it.each<readonly [string, (world: DirectWorld) => void]>([
    ['an alias that leads to itself', ({ dns }) => dns.set('mx2.test', 'CNAME', ['mx2.test'])],
    [
      'two aliases that lead to each other',
      ({ dns }) => {
        dns.set('mx2.test', 'CNAME', ['loop.test']);
        dns.set('loop.test', 'CNAME', ['mx2.test']);
      },
    ],
    ['a name server that returns garbage', ({ dns }) => dns.fail('mx2.test', '*', 'garbage')],
    ['a name server that is silent', ({ dns }) => dns.fail('mx2.test', '*', 'silence')],
    ['an address without a server', ({ name }) => name(2)],
    ['no address', () => undefined],
  ])('(%s) are skipped', async (_what, prepare) => {
    const world = await startDirectWorld(afterTest);
    const good = await world.sink(3);
    world.mx('a.test', 2, 3);
    prepare(world);
    const direct = world.transport(QUICK, 300);
    expect(await direct.send(makeOutgoingMessage({ recipients: ['ann@a.test'] }))).toMatchObject([
      { outcome: 'accepted' },
    ]);
    expect(good.messages).toHaveLength(1);
  });
});

describe('a slow server', () => {
  it('that greets within the time gets the message', async () => {
    const connected = Promise.withResolvers<void>();
    const greet = Promise.withResolvers<undefined>();
    const connect = () => {
      connected.resolve();
      return greet.promise;
    };
    const { send, first } = await startBad(
      { replies: { connect } },
      { second: false, changes: { timeouts: { connectMs: 400, commandMs: 60_000, afterDotMs: 400 } } },
    );
    const sent = send();
    await connected.promise;
    greet.resolve(undefined);
    expect(await sent).toMatchObject({ outcome: 'accepted' });
    expect(first.connections).toBe(1);
  });

  it('on which a connection hangs half open, without a response, is abandoned at the timeout', async () => {
    const world = await startDirectWorld(afterTest);
    // Accepts and never reads: the other end of a line that is cut without a word.
    const server = createServer({ pauseOnConnect: true });
    await new Promise<void>((resolve) => server.listen(world.port, '127.0.0.2', resolve));
    afterTest(() => server.close());
    world.name(2);
    const good = await world.sink(3);
    world.mx('a.test', 2, 3);
    const [verdict] = await world.transport(QUICK).send(makeOutgoingMessage({ recipients: ['a@a.test'] }));
    expect(verdict).toMatchObject({ outcome: 'accepted' });
    expect(good.messages).toHaveLength(1);
  });
});

describe('a reply in the transaction is final for the attempt', () => {
  const dialogue =
    (...replies: readonly string[]) =>
    async (c: Conversation) => {
      await c.open();
      for (const reply of replies) {
        const line = await c.reply(reply);
        if (line === 'DATA' && reply.startsWith('354')) await c.body();
      }
    };

  it.each([
    ['421 to the sender', ['421 4.7.0 slow down\r\n'], 'deferred', 421],
    ['421 to the recipient', ['250 ok\r\n', '421 4.7.28 rate\r\n'], 'deferred', 421],
    ['421 to DATA', ['250 ok\r\n', '250 ok\r\n', '421 4.3.2 closing\r\n'], 'deferred', 421],
    [
      '450 to the recipient in several lines',
      ['250 ok\r\n', '450-4.2.1 one\r\n450-4.2.1 two\r\n450 4.2.1 three\r\n'],
      'deferred',
      450,
    ],
    [
      '550 to the recipient in several lines',
      ['250 ok\r\n', '550-5.1.1 no\r\n550 5.1.1 such user\r\n'],
      'refused',
      550,
    ],
    ['a rejection in a very long line', ['250 ok\r\n', `550 5.7.1 ${'no '.repeat(1_000)}\r\n`], 'refused', 550],
  ] as const)('%s', async (_what, replies, outcome, code) => {
    const { send, good } = await startBad(dialogue(...replies));
    const verdict = await send();
    expect(verdict).toMatchObject({ outcome, reply: { code }, ambiguous: false });
    expect(verdict?.reply?.text.length).toBeLessThanOrEqual(1_000);
    expect(good?.connections).toBe(0);
  });

  it('folds the lines of a reply into one', async () => {
    const { send } = await startBad(dialogue('250 ok\r\n', '550-5.1.1 The account\r\n550 5.1.1 does not exist\r\n'));
    expect((await send())?.reply).toMatchObject({ enhanced: '5.1.1', text: '5.1.1 The account does not exist' });
  });
});

describe('a server that replies 421 on an idle connection', () => {
  it('gets the next message on a new one', async () => {
    const { send, first } = await startBad(
      async (c) => {
        await c.open();
        for (const reply of ['250 ok\r\n', '250 ok\r\n', '354 go\r\n']) await c.reply(reply);
        await c.body();
        c.say('250 taken\r\n');
        c.say('421 4.4.2 idle too long\r\n');
        c.socket.end();
      },
      { second: false },
    );
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    expect(first.connections).toBe(2);
  });
});

describe('a server that is lost after the dot', () => {
  it.each(['keep-and-drop', 'stall'] as const)('(%s) may have the message: no other server is tried', async (reply) => {
    const { send, good } = await startBad({ replies: { message: () => reply } });
    expect(await send()).toMatchObject({ outcome: 'deferred', reply: null, ambiguous: true });
    expect(good?.connections).toBe(0);
  });
});

describe('a connection that is cut at any byte on the way to the first server', () => {
  it.each(['close', 'reset'] as const)(
    '(%s) leaves one copy at one server, or none, or a verdict that says it may be there',
    async (cutBy) => {
      const world = await startDirectWorld(afterTest);
      const [behind, second] = await Promise.all([world.sink(250), world.sink(251)]);
      const places = Array.from({ length: 30 }, (_, index) => index * 12 + 1);
      const limits = places.flatMap((place) => [{ cutAfterToTarget: place }, { cutAfterToClient: place }]);
      const direct = world.transport();
      const outcomes = await Promise.all(
        limits.map(async (faults, index) => {
          const host = index + 2;
          world.name(host);
          world.mx(`d${host}.test`, host, 251);
          const proxy = await startFaultProxy({
            targetPort: world.port,
            targetHost: '127.0.0.250',
            port: world.port,
            host: `127.0.0.${host}`,
            faults: { ...faults, cutBy },
          });
          afterTest(() => proxy.close());
          const [verdict] = await direct.send(makeOutgoingMessage({ recipients: [`ann@d${host}.test`] }));
          const copies = [...behind.messages, ...second.messages].filter(
            ({ recipients }) => recipients[0] === `ann@d${host}.test`,
          );
          return { outcome: verdict?.outcome, ambiguous: verdict?.ambiguous, copies: copies.length };
        }),
      );
      for (const { outcome, ambiguous, copies } of outcomes) {
        if (outcome === 'accepted') expect(copies).toBe(1);
        else expect([outcome, ambiguous, copies <= 1]).toEqual(['deferred', true, true]);
      }
      expect(second.messages.length).toBeGreaterThan(0);
      expect(outcomes.some(({ ambiguous }) => ambiguous)).toBe(true);
    },
  );
});

describe('STARTTLS', () => {
  it('is used when it is offered, whatever the certificate', async () => {
    for (const names of [['mx2.test'], ['elsewhere.test']]) {
      const { send, first } = await startBad(
        { tls: 'starttls', certificate: makeCertificate(names, names[0] === 'mx2.test' ? -2 : 30) },
        { second: false, changes: {} },
      );
      expect(await send()).toMatchObject({ outcome: 'accepted' });
      expect('messages' in first && first.messages).toMatchObject([{ tls: true }]);
    }
  });

  const takeMessage = async (c: Conversation) => {
    await c.open();
    await c.reply('250 ok\r\n');
    await c.reply('250 ok\r\n');
    await c.reply('354 go\r\n');
    await c.body();
    c.say('250 taken\r\n');
  };

  it.each<readonly [string, (conversation: Conversation) => Promise<unknown> | unknown]>([
    ['then closes', (c) => c.socket.destroy()],
    ['then sends garbage', (c) => c.say('this is no TLS\r\n'.repeat(10))],
    ['then continues unencrypted', (c) => c.say('220 go\r\n250 and on\r\n')],
    ['then stops responding', () => undefined],
  ])(
    'that is offered and %s fails: the same server gets the message without TLS, and the next one immediately',
    async (_what, fail) => {
      const { send, first, good } = await startBad(async (c) => {
        if (c.number > 1) return await takeMessage(c);
        await c.open('STARTTLS');
        const asked = await c.line();
        expect(asked).toBe('STARTTLS');
        c.say('220 go ahead\r\n');
        await fail(c);
      });
      expect(await send()).toMatchObject({ outcome: 'accepted', reply: { code: 250 } });
      expect([first.connections, good?.connections]).toEqual([2, 0]);
    },
  );

  it('that ends the connection is skipped on the next one', async () => {
    const { send, first } = await startBad(
      async (c) => {
        if (c.number > 1) return await takeMessage(c);
        await c.open('STARTTLS');
        await c.line();
        c.socket.destroy();
      },
      { second: false },
    );
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    expect(first.connections).toBe(2);
  });

  it('that failed is not tried again with the same server for an hour', async () => {
    const greeted: string[] = [];
    const { send, clock } = await startBad(
      async (c) => {
        await c.open('STARTTLS');
        const asked = (await c.line()) ?? '';
        greeted.push(asked.split(' ', 1)[0] ?? '');
        if (asked !== 'STARTTLS') return c.say('451 4.3.0 later\r\n221 bye\r\n');
        c.say('220 go ahead\r\n');
        c.socket.destroy();
      },
      { second: false },
    );
    for (let message = 0; message < 2; message += 1) expect(await send()).toMatchObject({ outcome: 'deferred' });
    expect(greeted).toEqual(['STARTTLS', 'MAIL', 'MAIL']);
    clock.advance(3_600_001);
    await send();
    expect(greeted).toEqual(['STARTTLS', 'MAIL', 'MAIL', 'STARTTLS', 'MAIL']);
  });

  it('that gets a 454 reply continues without TLS on the same connection', async () => {
    const { send, first } = await startBad(async (c) => {
      await c.open('STARTTLS');
      await c.reply('454 4.7.0 TLS not available\r\n');
      await c.reply('250 ok\r\n');
      await c.reply('250 ok\r\n');
      await c.reply('354 go\r\n');
      await c.body();
      c.say('250 taken\r\n');
    });
    expect(await send()).toMatchObject({ outcome: 'accepted' });
    expect(first.connections).toBe(1);
  });
});
