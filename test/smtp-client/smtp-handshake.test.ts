import tls from 'node:tls';
import { describe, expect, it } from 'vitest';
import {
  openSmtpConnection,
  type SmtpConnection,
  type SmtpConnectionOptions,
} from '../../packages/server/src/smtp-client/smtp-connection.ts';
import { SmtpFault } from '../../packages/server/src/smtp-client/smtp-fault.ts';
import { prepareSmtpMessage } from '../../packages/server/src/smtp-client/smtp-message.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type Conversation, startScriptedServer } from '../harness/scripted-smtp-server.ts';
import { makeCertificate } from '../harness/self-made-certificate.ts';
import { clientOptions, makeOutgoingMessage } from '../harness/smtp-client-options.ts';
import { type SmtpSinkOptions, startSmtpSink } from '../harness/smtp-sink.ts';

const CREDENTIALS = { user: 'ann@example.com', pass: 'pässword \u0001' };
const SHORT = { connectMs: 5_000, commandMs: 60, afterDotMs: 60, idleMs: 60_000 };

const afterTest = useCleanUps();

async function serve(script: (conversation: Conversation) => Promise<void> | void) {
  const server = await startScriptedServer(script);
  afterTest(() => server.close());
  return server;
}

async function sink(options: SmtpSinkOptions) {
  const server = await startSmtpSink(options);
  afterTest(() => server.close());
  return server;
}

async function open(port: number, changes: Partial<SmtpConnectionOptions> = {}): Promise<SmtpConnection> {
  const connection = await openSmtpConnection(clientOptions(port, changes));
  afterTest(() => connection.quit());
  return connection;
}

async function faultOf(port: number, changes: Partial<SmtpConnectionOptions> = {}): Promise<SmtpFault> {
  const outcome = await open(port, changes).catch((error: unknown) => error);
  if (!(outcome instanceof SmtpFault)) throw new Error(`expected a fault, got ${String(outcome)}`);
  return outcome;
}

async function sendOne(connection: SmtpConnection) {
  const verdicts = await connection.send(prepareSmtpMessage(makeOutgoingMessage()));
  return verdicts === 'stale' ? 'stale' : verdicts.map(({ outcome }) => outcome);
}

/** Trusts the certificates beside the built-in ones until the test is over. */
function trust(...certificates: readonly string[]): void {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, ...certificates]);
  afterTest(() => tls.setDefaultCACertificates(before));
}

describe('greeting and EHLO', () => {
  it('introduces itself with its name', async () => {
    const server = await serve((c) => c.open('PIPELINING'));
    await open(server.port, { heloName: 'mail.postrider.test' });
    expect((await server.conversation(1)).chunks).toEqual(['EHLO mail.postrider.test\r\n']);
  });

  it('rejects an EHLO name that is not a host name', async () => {
    const server = await serve(() => undefined);
    for (const heloName of ['', 'a b', 'a\r\nMAIL FROM:<x@y.test>', 'ä.test']) {
      await expect(open(server.port, { heloName })).rejects.toThrow(TypeError);
    }
    expect(server.connections).toBe(0);
  });

  it('falls back to HELO when EHLO is unknown, and then uses no extension', async () => {
    const server = await serve(async (c) => {
      c.say('220 old.test\r\n');
      await c.reply('502 what?\r\n');
      await c.reply('250 old.test\r\n');
      for (const response of ['250 ok', '250 ok', '354 go']) await c.reply(`${response}\r\n`);
      await c.body();
      c.say('250 taken\r\n');
    });
    expect(await sendOne(await open(server.port))).toEqual(['accepted']);
    const { chunks } = await server.conversation(1);
    expect(chunks.slice(0, 5)).toEqual([
      'EHLO client.test\r\n',
      'HELO client.test\r\n',
      'MAIL FROM:<bounces@sender.test>\r\n',
      'RCPT TO:<ann@receiver.test>\r\n',
      'DATA\r\n',
    ]);
  });

  it('reads a greeting and an EHLO reply of 100 lines', async () => {
    const server = await serve(async (c) => {
      c.say(`${'220-big.test hello\r\n'.repeat(99)}220 big.test ESMTP\r\n`);
      await c.reply(`${'250-X-NOISE\r\n'.repeat(99)}250 PIPELINING\r\n`);
    });
    expect((await open(server.port)).isReady).toBe(true);
  });

  it.each([
    ['554 5.7.1 you are on a list', 'sent 554 as its greeting', 554],
    ['421 too busy', 'sent 421', 421],
    ['450 later', 'sent 450', 450],
  ])('reports the greeting %j', async (greeting, words, code) => {
    const server = await serve((c) => c.say(`${greeting}\r\n`));
    const fault = await faultOf(server.port);
    expect(fault.message).toContain(words);
    expect(fault.reply).toMatchObject({ code, aboutRecipient: false });
  });

  it.each(['SSH-2.0-OpenSSH_9.2p1\r\n', 'HTTP/1.1 400 Bad Request\r\n', '\u0000\u0001\u0002\n'])(
    'reports an invalid greeting: %j',
    async (greeting) => {
      const server = await serve((c) => c.say(greeting));
      expect(await faultOf(server.port)).toMatchObject({ kind: 'protocol' });
    },
  );

  it('reports a greeting that never ends', async () => {
    const server = await serve((c) => {
      c.socket.on('error', () => undefined);
      const flood = () => {
        while (!c.socket.destroyed && c.socket.write('220-and so on and so on\r\n'.repeat(50)));
      };
      c.socket.on('drain', flood);
      flood();
    });
    expect(await faultOf(server.port)).toMatchObject({ kind: 'protocol' });
  });

  it('waits for a slow greeting, but not longer than the command timeout', async () => {
    const server = await serve(() => undefined);
    const fault = await faultOf(server.port, { timeouts: SHORT });
    expect(fault).toMatchObject({ kind: 'timeout' });
    expect(fault.message).toContain('the greeting');
  });

  it('reports a server that sends its greeting endlessly byte by byte', async () => {
    const server = await serve((c) => {
      c.say('220-');
      const timer = setInterval(() => c.say('x'), 5);
      c.socket.on('close', () => clearInterval(timer));
    });
    expect(await faultOf(server.port, { timeouts: SHORT })).toMatchObject({ kind: 'timeout' });
  });

  it('reports a server that closes before its greeting, and one that closes after EHLO', async () => {
    const silent = await serve(({ socket }) => {
      socket.end();
    });
    expect(await faultOf(silent.port)).toMatchObject({ kind: 'lost' });
    const abrupt = await serve(async (c) => {
      c.say('220 hi\r\n');
      await c.line();
      c.socket.destroy();
    });
    const fault = await faultOf(abrupt.port);
    expect(fault).toMatchObject({ kind: 'lost' });
    expect(fault.message).toContain('the reply to EHLO');
  });

  it('reports a server that sends a 421 right after its greeting', async () => {
    const server = await serve(async (c) => {
      c.say('220 hi\r\n');
      await c.reply('250 odd.test\r\n421 changed my mind\r\n');
    });
    expect(await faultOf(server.port)).toMatchObject({ kind: 'lost', reply: { code: 421 } });
  });

  it('reports a port without a listener', async () => {
    const server = await startScriptedServer(() => undefined);
    await server.close();
    expect((await faultOf(server.port)).message).toContain('refused (ECONNREFUSED)');
  });
});

describe('TLS', () => {
  it('is not used when it is off, whatever is offered', async () => {
    const server = await sink({ tls: 'starttls' });
    expect(await sendOne(await open(server.port, { tls: { mode: 'none', verify: false } }))).toEqual(['accepted']);
    expect(server.messages[0]?.tls).toBe(false);
  });

  it.each(['opportunistic', 'required'] as const)('starts with STARTTLS (%s) and then sends', async (mode) => {
    const server = await sink({ tls: 'starttls' });
    const connection = await open(server.port, { tls: { mode, verify: false } });
    expect(connection.secured).toBe(true);
    expect(await sendOne(connection)).toEqual(['accepted']);
    expect(server.messages[0]?.tls).toBe(true);
  });

  it('starts with the first byte when it is implicit', async () => {
    const server = await sink({ tls: 'implicit' });
    expect(await sendOne(await open(server.port, { tls: { mode: 'implicit', verify: false } }))).toEqual(['accepted']);
    expect(server.messages[0]?.tls).toBe(true);
  });

  it('reads the capabilities again under TLS and trusts only those', async () => {
    const server = await serve(async (c) => {
      await c.open('STARTTLS', 'PIPELINING', 'SIZE 1', 'AUTH PLAIN');
      await c.reply('220 go\r\n');
      const secured = c.secure(makeCertificate(['odd.test']));
      await secured.reply('250-odd.test\r\n250 8BITMIME\r\n');
      for (const response of ['250 ok', '250 ok', '354 go']) await secured.reply(`${response}\r\n`);
      await secured.body();
      expect(secured.chunks.slice(0, 4)).toEqual([
        'EHLO client.test\r\n',
        'MAIL FROM:<bounces@sender.test>\r\n',
        'RCPT TO:<ann@receiver.test>\r\n',
        'DATA\r\n',
      ]);
      secured.say('250 taken\r\n');
    });
    expect(await sendOne(await open(server.port, { tls: { mode: 'required', verify: false } }))).toEqual(['accepted']);
  });

  describe.each(['required', 'implicit'] as const)('verified (%s)', (mode) => {
    const sinkTls = mode === 'required' ? 'starttls' : 'implicit';

    it('accepts a certificate of a known authority for the right name', async () => {
      const byAddress = makeCertificate(['127.0.0.1']);
      const byName = makeCertificate(['mx.receiver.test']);
      trust(byAddress.cert, byName.cert);
      const first = await sink({ tls: sinkTls, certificate: byAddress });
      expect((await open(first.port, { tls: { mode, verify: true } })).secured).toBe(true);
      const second = await sink({ tls: sinkTls, certificate: byName });
      const named = await open(second.port, { serverName: 'mx.receiver.test', tls: { mode, verify: true } });
      expect(named.secured).toBe(true);
    });

    it('rejects an unknown authority, another name and an expired certificate, and never logs in', async () => {
      const otherName = makeCertificate(['elsewhere.test']);
      const expired = makeCertificate(['127.0.0.1'], -3);
      trust(otherName.cert, expired.cert);
      const cases = [
        [makeCertificate(['127.0.0.1']), /unknown authority|self-signed/],
        [otherName, /for another name/],
        [expired, /has expired/],
      ] as const;
      for (const [certificate, words] of cases) {
        const server = await sink({ tls: sinkTls, certificate, auth: CREDENTIALS });
        const fault = await faultOf(server.port, { tls: { mode, verify: true }, credentials: CREDENTIALS });
        expect(fault.kind).toBe('tls');
        expect(fault.message).toMatch(words);
      }
    });
  });

  it('accepts any certificate when TLS is opportunistic', async () => {
    const server = await sink({ tls: 'starttls', certificate: makeCertificate(['elsewhere.test'], -3) });
    expect((await open(server.port, { tls: { mode: 'opportunistic', verify: true } })).secured).toBe(true);
  });

  it('stops when STARTTLS is required and not offered', async () => {
    const server = await serve((c) => c.open('PIPELINING'));
    const fault = await faultOf(server.port, { tls: { mode: 'required', verify: false } });
    expect(fault).toMatchObject({ kind: 'tls' });
    expect(fault.message).toContain('does not offer STARTTLS');
  });

  it('continues unencrypted on the same connection when STARTTLS is offered, rejected and not required', async () => {
    const server = await serve(async (c) => {
      await c.open('STARTTLS', 'PIPELINING');
      await c.reply('454 4.7.0 no certificate\r\n');
    });
    const connection = await open(server.port, { tls: { mode: 'opportunistic', verify: false } });
    expect(connection).toMatchObject({ secured: false, isReady: true });
    expect(server.connections).toBe(1);
    const fault = await faultOf(server.port, { tls: { mode: 'required', verify: false } });
    expect(fault.reply).toMatchObject({ code: 454, enhanced: '4.7.0' });
  });

  it('continues unencrypted on another connection when the handshake fails and TLS is not required', async () => {
    const server = await serve(async (c) => {
      await c.open('STARTTLS');
      if (c.number % 2 === 0) return;
      await c.reply('220 go\r\n');
      c.socket.once('data', () => c.say('this is not TLS\r\n'));
    });
    const connection = await open(server.port, { tls: { mode: 'opportunistic', verify: false } });
    expect(connection).toMatchObject({ secured: false, isReady: true });
    expect(server.connections).toBe(2);
    expect(await faultOf(server.port, { tls: { mode: 'required', verify: false } })).toMatchObject({ kind: 'tls' });
    expect(server.connections).toBe(3);
  });

  it('abandons a handshake that does not end', async () => {
    const server = await serve(async (c) => {
      await c.open('STARTTLS');
      await c.reply('220 go\r\n');
    });
    const timeouts = { connectMs: 60, commandMs: 5_000, afterDotMs: 60, idleMs: 60_000 };
    const fault = await faultOf(server.port, { tls: { mode: 'required', verify: false }, timeouts });
    expect(fault.message).toContain('waited for TLS');
  });

  it.each(['220 go\r\n250 injected\r\n', '220 go\r\n250-inj', '220 go\r\n250-a\r\n250 b\r\n354 c\r\n'])(
    'stops when data was received unencrypted before TLS: %j',
    async (said) => {
      const server = await serve(async (c) => {
        await c.open('STARTTLS', 'AUTH PLAIN');
        await c.reply(said);
      });
      const options = { tls: { mode: 'required', verify: false }, credentials: CREDENTIALS } as const;
      await faultOf(server.port, options);
      const conversation = await server.conversation(1);
      expect(await conversation.line()).toBeNull();
      expect(conversation.chunks).toEqual(['EHLO client.test\r\n', 'STARTTLS\r\n']);
    },
  );
});

describe('login', () => {
  it.each([['PLAIN'], ['LOGIN'], ['PLAIN', 'LOGIN']] as const)(
    'logs in with what is offered: %s',
    async (...methods) => {
      const server = await sink({ auth: { ...CREDENTIALS, methods } });
      expect(await sendOne(await open(server.port, { credentials: CREDENTIALS }))).toEqual(['accepted']);
      expect(server.messages[0]?.user).toBe(CREDENTIALS.user);
    },
  );

  it('reports a rejected login with the reply and without the password', async () => {
    const server = await sink({ auth: { user: 'ann', pass: 'right' } });
    const fault = await faultOf(server.port, { credentials: { user: 'ann', pass: 'hunter2' } });
    expect(fault).toMatchObject({ kind: 'unready', reply: { code: 535, enhanced: '5.7.8' } });
    expect(JSON.stringify([fault.message, fault.reply])).not.toMatch(/hunter2|aHVudGVyM/);
  });

  it.each([[['PIPELINING']], [['AUTH CRAM-MD5 XOAUTH2']]])(
    'reports a server without a supported login method: %j',
    async (keywords) => {
      const server = await serve((c) => c.open(...keywords));
      const fault = await faultOf(server.port, { credentials: CREDENTIALS });
      expect(fault.message).toContain('does not offer authentication');
    },
  );

  it('understands the AUTH= of old servers', async () => {
    const server = await serve(async (c) => {
      await c.open('AUTH=PLAIN');
      await c.reply('235 welcome\r\n');
    });
    expect((await open(server.port, { credentials: CREDENTIALS })).isReady).toBe(true);
  });

  it('sends no credentials to an unverified server', async () => {
    const options = {
      credentials: CREDENTIALS,
      credentialsAnywhere: false,
      tls: { mode: 'opportunistic', verify: true },
    } as const;
    const clear = await serve((c) => c.open('AUTH PLAIN LOGIN'));
    expect((await faultOf(clear.port, options)).message).toContain('it offers no TLS');
    const unknown = await sink({ tls: 'starttls', auth: CREDENTIALS });
    const fault = await faultOf(unknown.port, options);
    expect(fault.message).toContain('was not sent the user name and password');
    expect(fault.message).toMatch(/unknown authority|self-signed/);
    expect(await (await clear.conversation(1)).line()).toBeNull();
  });

  it('sends them to one whose certificate is valid, also when TLS is opportunistic', async () => {
    const certificate = makeCertificate(['127.0.0.1']);
    trust(certificate.cert);
    const server = await sink({ tls: 'starttls', certificate, auth: CREDENTIALS });
    const options = {
      credentials: CREDENTIALS,
      credentialsAnywhere: false,
      tls: { mode: 'opportunistic', verify: true },
    } as const;
    expect(await sendOne(await open(server.port, options))).toEqual(['accepted']);
    expect(server.messages[0]).toMatchObject({ tls: true, user: CREDENTIALS.user });
  });
});
