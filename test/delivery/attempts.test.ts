import { LIMITS } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type Conversation, type ScriptedServer, startScriptedServer } from '../harness/scripted-smtp-server.ts';
import { makeCertificate } from '../harness/self-made-certificate.ts';
import { type SmtpSinkOptions, startSmtpSink } from '../harness/smtp-sink.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

interface Line {
  readonly from: string;
  readonly line: string;
}

/** Replies by the start of a command; 250 by default. The last one is for the message. */
type Replies = (command: string) => string | undefined;

const until = { timeout: 10_000, interval: 10 };

describe('the delivery attempts of a message', () => {
  const cleanUp = useCleanUps();

  async function relayThrough(port: number, login = '', query = 'tls=none'): Promise<TestApp> {
    const server = await startTestApp({
      settings: { POSTRIDER_TRANSPORT: `smtp://${login}127.0.0.1:${port}?${query}` },
    });
    cleanUp(() => server.close());
    return server;
  }

  async function scripted(replies: Replies, ...keywords: readonly string[]): Promise<ScriptedServer> {
    const server = await startScriptedServer((conversation) => serve(conversation, replies, keywords));
    cleanUp(() => server.close());
    return server;
  }

  async function sink(options: SmtpSinkOptions = {}) {
    const server = await startSmtpSink(options);
    cleanUp(() => server.close());
    return server;
  }

  /** Sends a message and reads it once it has as many attempts. */
  async function deliver(server: TestApp, body: Readonly<Record<string, unknown>> = {}, count = 1) {
    const { body: sent } = await server.send({ to: 'ann@example.com', ...body });
    return await attemptsOf(server, sent.id, count);
  }

  async function attemptsOf(server: TestApp, id: string, count: number) {
    const message = await expect
      .poll(async () => (await server.call('GET', `/emails/${id}`)).body, until)
      .toSatisfy(({ attempts }) => attempts.length === count)
      .then(async () => (await server.call('GET', `/emails/${id}`)).body);
    return { message, attempts: message.attempts };
  }

  it('show the server, the times and the whole conversation of a delivery', {
    tags: ['emails-get.attempts', 'emails-get.conversation'],
  }, async () => {
    const { port } = await scripted(() => undefined, 'PIPELINING', 'SIZE 1000000');
    const { message, attempts } = await deliver(await relayThrough(port));
    const [{ conversation, ...facts }] = attempts;
    expect(facts).toEqual({
      id: message.events[1].id,
      number: 1,
      recipients: ['ann@example.com'],
      startedAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      durationMs: expect.any(Number),
      transport: 'smtp-relay',
      server: { host: '127.0.0.1', address: '127.0.0.1', port },
      tls: null,
      connectionReused: false,
      outcome: 'accepted',
      reply: '250 2.0.0 Queued',
    });
    expect(Math.abs(Date.parse(facts.startedAt) - Date.parse(message.createdAt))).toBeLessThan(60_000);
    expect(spoken(conversation)).toEqual([
      'S: 220 odd.test ESMTP',
      expect.stringMatching(/^C: EHLO /),
      'S: 250-odd.test',
      'S: 250-PIPELINING',
      'S: 250 SIZE 1000000',
      // The return path is signed, and no reader of the log may report bounces to it.
      expect.stringMatching(/^C: MAIL FROM:<\*{3}@[a-z.]+> SIZE=\d+$/),
      'S: 250 OK',
      'C: RCPT TO:<ann@example.com>',
      'S: 250 OK',
      'C: DATA',
      'S: 354 Go on',
      expect.stringMatching(/^C: \(\d?,?\d{3} bytes of message\)$/),
      'S: 250 2.0.0 Queued',
    ]);
  });

  it('are two when the first was deferred, and the second shows that it reused the connection', {
    tags: ['emails-get.attempts'],
  }, async () => {
    let rejected = 0;
    const relay = await scripted((command) => {
      if (!command.startsWith('RCPT') || rejected > 0) return undefined;
      rejected += 1;
      return '451 4.7.1 Greylisted, come back later';
    });
    const server = await relayThrough(relay.port);
    const { message } = await deliver(server);
    expect(message.attempts[0]).toMatchObject({ number: 1, outcome: 'deferred' });
    expect(message.attempts[0].reply).toBe('451 4.7.1 Greylisted, come back later');
    server.clock.advance(31_000);
    await server.pump();
    const { attempts } = await attemptsOf(server, message.id, 2);
    expect(attempts.map(({ number, outcome }: Line & Record<string, unknown>) => [number, outcome])).toEqual([
      [1, 'deferred'],
      [2, 'accepted'],
    ]);
    expect(attempts[1].connectionReused).toBe(true);
    expect(spoken(attempts[1].conversation)[0]).toMatch(/^C: (RSET|MAIL FROM)/);
    expect(relay.connections).toBe(1);
  });

  it('show each recipient with its own reply', { tags: ['emails-get.attempts'] }, async () => {
    const { port } = await scripted((command) => {
      if (command.includes('bob@')) return '550 5.1.1 No such user';
      return command.includes('cy@') ? '450 4.2.1 Mailbox busy' : undefined;
    }, 'PIPELINING');
    const { attempts } = await deliver(await relayThrough(port), {
      to: ['ann@example.com', 'bob@example.com', 'cy@example.com'],
    });
    expect(attempts[0]).toMatchObject({
      recipients: ['ann@example.com', 'bob@example.com', 'cy@example.com'],
      outcome: 'mixed',
      reply: '550 5.1.1 No such user',
    });
    // The commands were sent together; each is shown with its reply.
    const lines = spoken(attempts[0].conversation);
    expect(lines.slice(lines.indexOf('C: RCPT TO:<bob@example.com>')).slice(0, 4)).toEqual([
      'C: RCPT TO:<bob@example.com>',
      'S: 550 5.1.1 No such user',
      'C: RCPT TO:<cy@example.com>',
      'S: 450 4.2.1 Mailbox busy',
    ]);
  });

  it('show a server that refuses the connection, with the reason and without a conversation', {
    tags: ['emails-get.attempts'],
  }, async () => {
    const relay = await scripted(() => undefined);
    await relay.close();
    const { attempts } = await deliver(await relayThrough(relay.port));
    expect(attempts).toMatchObject([
      {
        ...{ outcome: 'failed', server: { host: '127.0.0.1', port: relay.port }, conversation: null, tls: null },
        reply: expect.stringContaining('the connection was refused (ECONNREFUSED)'),
      },
    ]);
  });

  it('show the encryption, and the failure of TLS with what was said before', {
    tags: ['emails-get.attempts'],
  }, async () => {
    const { port } = await sink({ tls: 'starttls', certificate: makeCertificate(['localhost']) });
    const { attempts } = await deliver(await relayThrough(port, '', 'tls=starttls'));
    expect(attempts[0].tls).toEqual({
      protocol: expect.stringMatching(/^TLSv1\.[23]$/),
      cipher: expect.stringMatching(/^TLS_/),
      verified: false,
    });
    expect(spoken(attempts[0].conversation)).toContain('C: STARTTLS');
    const plain = await scripted(() => undefined);
    const failed = await deliver(await relayThrough(plain.port, '', 'tls=starttls'));
    expect(failed.attempts[0]).toMatchObject({ outcome: 'failed', tls: null });
    expect(failed.attempts[0].reply).toContain('does not offer STARTTLS');
    expect(spoken(failed.attempts[0].conversation).at(-1)).toBe('S: 250 odd.test');
  });

  it('never show the user name or the password, even if the server repeats them', {
    tags: ['emails-get.conversation'],
  }, async () => {
    const auth = { user: 'relay-user', pass: 'relay-secret' };
    const token = Buffer.from('\u0000relay-user\u0000relay-secret').toString('base64');
    const accepting = await sink({ auth });
    const done = await deliver(await relayThrough(accepting.port, 'relay-user:relay-secret@'));
    expect(spoken(done.attempts[0].conversation)).toContain('C: AUTH PLAIN ***');
    const echoing = await scripted(
      (command) => (command.startsWith('AUTH') ? `535 5.7.8 RELAY-USER may not use ${command}` : undefined),
      'AUTH PLAIN',
    );
    const refused = await deliver(await relayThrough(echoing.port, 'relay-user:relay-secret@'));
    expect(spoken(refused.attempts[0].conversation).slice(-2)).toEqual([
      'C: AUTH PLAIN ***',
      'S: 535 5.7.8 *** may not use AUTH PLAIN ***',
    ]);
    for (const { attempts } of [done, refused]) {
      const text = JSON.stringify(attempts).toLowerCase();
      for (const secret of ['relay-user', 'relay-secret', token.toLowerCase()]) expect(text).not.toContain(secret);
    }
  });

  it('are cut to the limits in the middle, and have no control characters', {
    tags: ['emails-get.conversation'],
  }, async () => {
    const flood = Array.from(
      { length: 250 },
      (_, index) => `250-${index} ${'x'.repeat(index === 0 ? 900 : 150)}\u001b[31m\u0007`,
    );
    const { port } = await scripted((command) =>
      command.startsWith('RCPT') ? `${flood.join('\r\n')}\r\n250 last` : undefined,
    );
    const { attempts } = await deliver(await relayThrough(port));
    const lines = spoken(attempts[0].conversation);
    expect(lines[0]).toBe('S: 220 odd.test ESMTP');
    expect(lines.at(-1)).toBe('S: 250 2.0.0 Queued');
    expect(lines).toContainEqual(expect.stringMatching(/^C: \(\d+ lines omitted\)$/));
    expect(lines.length).toBeLessThanOrEqual(LIMITS.conversationLines);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(LIMITS.conversationLineCharacters + 3);
    expect(Buffer.byteLength(lines.join('\n'))).toBeLessThanOrEqual(LIMITS.conversationBytes + 200);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be absent.
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f]/);
  });

  it('have no conversation for captured and simulated mail', { tags: ['emails-get.attempts'] }, async () => {
    const server = await startTestApp();
    cleanUp(() => server.close());
    const nothing = { server: null, tls: null, connectionReused: false, conversation: null, outcome: 'accepted' };
    const captured = await deliver(server);
    expect(captured.attempts).toMatchObject([{ ...nothing, transport: 'capture', reply: '250 2.0.0 Captured' }]);
    const sandbox = await deliver(server, { to: 'delivered@sandbox.test' });
    expect(sandbox.attempts).toMatchObject([{ ...nothing, transport: 'sandbox' }]);
  });

  it('hide conversations with bcc recipients from keys that may not know them', {
    tags: ['emails-get.attempts', 'holes.sight'],
  }, async () => {
    const { port } = await scripted(() => undefined);
    const server = await relayThrough(port);
    const { message } = await deliver(server, { bcc: 'blind@example.com' });
    expect(JSON.stringify(message.attempts)).toContain('blind@example.com');
    const key = await server.newKey({ scopes: ['emails:read'] });
    const { body } = await server.call('GET', `/emails/${message.id}`, { key });
    expect(body.attempts).toMatchObject([{ recipients: ['ann@example.com'], reply: null, conversation: null }]);
    expect(body.redacted).toContain('attempts');
    expect(JSON.stringify(body)).not.toContain('blind@');
  });

  it('are not in the list of messages', { tags: ['emails-get.attempts'] }, async () => {
    const server = await startTestApp();
    cleanUp(() => server.close());
    await deliver(server);
    const { body } = await server.call('GET', '/emails');
    expect(Object.keys(body.messages[0])).not.toContain('attempts');
  });
});

function spoken(lines: readonly Line[]): string[] {
  return lines.map(({ from, line }) => `${from === 'client' ? 'C' : 'S'}: ${line}`);
}

/** Any number of messages on one connection. */
async function serve(conversation: Conversation, replies: Replies, keywords: readonly string[]): Promise<void> {
  await conversation.open(...keywords);
  for (let command = await conversation.line(); command !== null; command = await conversation.line()) {
    const standard = command === 'DATA' ? '354 Go on' : '250 OK';
    conversation.say(`${replies(command) ?? (command === 'QUIT' ? '221 Bye' : standard)}\r\n`);
    if (command !== 'DATA') continue;
    await conversation.body();
    conversation.say(`${replies('.') ?? '250 2.0.0 Queued'}\r\n`);
  }
}
