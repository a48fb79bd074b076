import { describe, expect, it } from 'vitest';
import {
  openSmtpConnection,
  type SendResult,
  type SmtpConnection,
  type SmtpConnectionOptions,
} from '../../packages/server/src/smtp-client/smtp-connection.ts';
import { BareLineEndingError } from '../../packages/server/src/smtp-client/smtp-dot-stuffing.ts';
import { prepareSmtpMessage, UnsafeEnvelopeError } from '../../packages/server/src/smtp-client/smtp-message.ts';
import type { OutgoingMessage, RecipientVerdict } from '../../packages/server/src/smtp-client/transport.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type Conversation, startScriptedServer } from '../harness/scripted-smtp-server.ts';
import { clientOptions, makeOutgoingMessage } from '../harness/smtp-client-options.ts';
import { type SmtpSinkOptions, startSmtpSink } from '../harness/smtp-sink.ts';

const SHORT = { connectMs: 5_000, commandMs: 60, afterDotMs: 60, idleMs: 60_000 };
const THREE = ['ann@receiver.test', 'bob@receiver.test', 'cyd@receiver.test'];

const afterTest = useCleanUps();

async function serve(script: (conversation: Conversation) => Promise<void> | void) {
  const server = await startScriptedServer(script);
  afterTest(() => server.close());
  return server;
}

async function sink(options: SmtpSinkOptions = {}) {
  const server = await startSmtpSink(options);
  afterTest(() => server.close());
  return server;
}

async function open(port: number, changes: Partial<SmtpConnectionOptions> = {}): Promise<SmtpConnection> {
  const connection = await openSmtpConnection(clientOptions(port, changes));
  afterTest(() => connection.quit());
  return connection;
}

function send(connection: SmtpConnection, changes: Partial<OutgoingMessage> = {}): Promise<SendResult> {
  return connection.send(prepareSmtpMessage(makeOutgoingMessage(changes)));
}

async function verdictsOf(result: Promise<SendResult>): Promise<readonly RecipientVerdict[]> {
  const verdicts = await result;
  if (verdicts === 'stale') throw new Error('expected verdicts, the connection was stale');
  return verdicts;
}

/** Each verdict in short: its outcome, the code of its reply, and a mark where it is ambiguous. */
async function summaryOf(result: Promise<SendResult>): Promise<string[]> {
  const verdicts = await verdictsOf(result);
  return verdicts.map(({ outcome, reply, ambiguous }) => `${outcome} ${reply?.code ?? '-'}${ambiguous ? ' ?' : ''}`);
}

/** Plays one transaction with a client that pipelines: a response to each line, and one to the message where there is a 354. */
async function play(c: Conversation, ...responses: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const response of responses) {
    lines.push(lines.at(-1) === 'DATA' ? await c.body() : ((await c.line()) ?? ''));
    c.say(`${response}\r\n`);
  }
  return lines;
}

async function sendScripted(
  responses: readonly string[],
  { keywords = ['PIPELINING'], ...changes }: Partial<OutgoingMessage> & { readonly keywords?: readonly string[] } = {},
) {
  let lines: string[] = [];
  const server = await serve(async (c) => {
    await c.open(...keywords);
    lines = await play(c, ...responses);
  });
  const connection = await open(server.port);
  const verdicts = await verdictsOf(send(connection, changes));
  const summary = verdicts.map(({ outcome, reply }) => `${outcome} ${reply?.code ?? '-'}`);
  return { verdicts, summary, lines, connection, conversation: await server.conversation(1) };
}

describe('the data sent to the server', () => {
  it.each([
    ['text', 'Subject: x\r\n\r\nHello.\r\n'],
    ['leading dots', 'Subject: x\r\n\r\n.a\r\n..b\r\n...\r\n.\r\n'],
    ['a dot as the first byte', '.\r\nSubject: x\r\n\r\n'],
    ['lone dots', '.\r\n.\r\n\r\n.\r\n'],
    ['what looks like the end and a command', 'a\r\n.\r\nMAIL FROM:<evil@x.test>\r\n.\r\n'],
    ['long lines', `${'x'.repeat(998)}\r\n${'y'.repeat(100_000)}\r\n.${'z'.repeat(70_000)}\r\n`],
    ['empty lines', '\r\n\r\n\r\n'],
    ['nothing', ''],
    ['bytes that are not ASCII', 'Subject: é\r\n\r\n\u0000\u007f\u{1f600}\r\n'],
  ])('arrives byte for byte: %s', async (_name, text) => {
    const server = await sink();
    const data = Buffer.from(text);
    expect(await summaryOf(send(await open(server.port), { data }))).toEqual(['accepted 250']);
    expect(server.messages[0]?.raw.equals(data)).toBe(true);
  });

  it('arrives byte for byte for generated messages of dots, line endings and letters', async () => {
    const server = await sink();
    const connection = await open(server.port, { maxMessages: Number.POSITIVE_INFINITY });
    const pieces = ['.', '..', '\r\n', '\r\n.', 'a', '.\r\n', '\r\n.\r\n'];
    let seed = 20_260_301;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    for (let round = 0; round < 300; round += 1) {
      const text = Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join('');
      const data = Buffer.from(`${text}\r\n`);
      await send(connection, { data });
      expect(server.messages[round]?.raw.toString(), JSON.stringify(text)).toBe(data.toString());
    }
  });

  it.each(['none', 'required'] as const)(
    'arrives complete when it is larger than one write, with TLS %s',
    async (mode) => {
      const server = await sink({ tls: mode === 'none' ? 'none' : 'starttls' });
      const data = Buffer.from(`${'.0123456789 abcdefghij\r\n'.repeat(150_000)}`);
      // Megabytes through one thread: nothing here is about time.
      const timeouts = { connectMs: 60_000, commandMs: 60_000, afterDotMs: 60_000, idleMs: 60_000 };
      const connection = await open(server.port, { tls: { mode, verify: false }, timeouts });
      expect(await summaryOf(send(connection, { data }))).toEqual(['accepted 250']);
      expect(server.messages[0]?.raw.equals(data)).toBe(true);
      expect(await summaryOf(send(connection))).toEqual(['accepted 250']);
    },
  );

  it('ends a last line without a line ending', async () => {
    const server = await sink();
    await send(await open(server.port), { data: Buffer.from('Subject: x') });
    expect(server.messages[0]?.raw.toString()).toBe('Subject: x\r\n');
  });

  it('sends the envelope in one write and the body with its dot in another when the server pipelines', async () => {
    const responses = ['250 ok', '250 ok', '250 ok', '250 ok', '354 go', '250 taken'];
    const { conversation, summary } = await sendScripted(responses, { recipients: THREE });
    expect(summary).toEqual(['accepted 250', 'accepted 250', 'accepted 250']);
    expect(conversation.chunks.slice(1)).toEqual([
      `MAIL FROM:<bounces@sender.test>\r\n${THREE.map((address) => `RCPT TO:<${address}>\r\n`).join('')}DATA\r\n`,
      'Subject: Hello\r\n\r\nHello Ann.\r\n.\r\n',
    ]);
  });

  it('sends one command at a time when it does not', async () => {
    const responses = ['250 ok', '250 ok', '550 no', '354 go', '250 taken'];
    const recipients = THREE.slice(0, 2);
    const { conversation, summary } = await sendScripted(responses, { recipients, keywords: ['SIZE'] });
    expect(summary).toEqual(['accepted 250', 'refused 550']);
    expect(conversation.chunks.slice(1)).toEqual([
      'MAIL FROM:<bounces@sender.test> SIZE=30\r\n',
      'RCPT TO:<ann@receiver.test>\r\n',
      'RCPT TO:<bob@receiver.test>\r\n',
      'DATA\r\n',
      'Subject: Hello\r\n\r\nHello Ann.\r\n.\r\n',
    ]);
  });

  it('uses SIZE, 8BITMIME and SMTPUTF8 when the server offers them and the message needs them', async () => {
    const responses = ['250 ok', '250 ok', '354 go', '250 taken'];
    const keywords = ['PIPELINING', 'SIZE 100000', '8BITMIME', 'SMTPUTF8'];
    const data = Buffer.from('Subject: é\r\n');
    const recipients = ['añn@bücher.test'];
    const { lines } = await sendScripted(responses, { keywords, data, recipients });
    expect(lines[0]).toBe('MAIL FROM:<bounces@sender.test> SIZE=13 BODY=8BITMIME SMTPUTF8');
    expect(Buffer.from(lines[1] ?? '', 'latin1').toString()).toBe('RCPT TO:<añn@bücher.test>');
    const plain = await sendScripted(responses, { keywords });
    expect(plain.lines[0]).toBe('MAIL FROM:<bounces@sender.test> SIZE=30');
  });

  it('names the original recipient when the server supports it (RFC 3461), and not otherwise', async () => {
    const responses = ['250 ok', '250 ok', '354 go', '250 taken'];
    for (const keywords of [['DSN', 'PIPELINING'], ['DSN']]) {
      const { lines } = await sendScripted(responses, { keywords, recipients: ['ann+a=b@receiver.test'] });
      expect(lines[1]).toBe('RCPT TO:<ann+a=b@receiver.test> ORCPT=rfc822;ann+2Ba+3Db@receiver.test');
    }
    const { lines } = await sendScripted(responses, {
      keywords: ['DSN', 'SMTPUTF8'],
      recipients: ['añn@receiver.test'],
    });
    expect(Buffer.from(lines[1] ?? '', 'latin1').toString()).toBe('RCPT TO:<añn@receiver.test>');
  });

  it('sends the null sender', async () => {
    const { lines } = await sendScripted(['250 ok', '250 ok', '354 go', '250 taken'], { mailFrom: '' });
    expect(lines[0]).toBe('MAIL FROM:<>');
  });

  it('rejects a message too large for the server, or without a needed SMTPUTF8, before any command', async () => {
    const server = await serve((c) => c.open('PIPELINING', 'SIZE 20'));
    const connection = await open(server.port);
    const [tooLarge] = await verdictsOf(send(connection));
    expect(tooLarge).toMatchObject({ outcome: 'refused', reply: null, ambiguous: false });
    expect(tooLarge?.reason).toContain('30 bytes and the server accepts at most 20');
    const [notAscii] = await verdictsOf(send(connection, { recipients: ['ä@x.test'], data: Buffer.from('\r\n') }));
    expect(notAscii?.reason).toContain('SMTPUTF8');
    expect((await server.conversation(1)).chunks).toHaveLength(1);
    expect(connection.isReady).toBe(true);
  });
});

describe('data that is never sent', () => {
  it.each([
    'a@b.test>\r\nRCPT TO:<evil@x.test',
    'a@b.test\r\nDATA',
    'a\n@b.test',
    'a\r@b.test',
    'a\u0000@b.test',
    'a b@c.test',
    'a@b.test SIZE=1',
    '<a@b.test>',
    'a@b.test>',
    'a\t@b.test',
    'a\u0085@b.test',
    'a\u2028@b.test',
    'a\u00a0@b.test',
    'a\ud800@b.test',
  ])('includes an address that could end its command: %j', (address) => {
    expect(() => prepareSmtpMessage(makeOutgoingMessage({ recipients: ['ann@receiver.test', address] }))).toThrow(
      UnsafeEnvelopeError,
    );
    expect(() => prepareSmtpMessage(makeOutgoingMessage({ mailFrom: address }))).toThrow(UnsafeEnvelopeError);
  });

  it('includes a character that becomes a line ending when its upper half is cut off', async () => {
    const responses = ['250 ok', '250 ok', '354 go', '250 taken'];
    const recipients = ['\u010a\u010d@x.test'];
    const { conversation } = await sendScripted(responses, { keywords: ['PIPELINING', 'SMTPUTF8'], recipients });
    expect(conversation.chunks[1]?.split('\r\n')).toHaveLength(4);
  });

  it('includes an empty recipient', () => {
    expect(() => prepareSmtpMessage(makeOutgoingMessage({ recipients: [''] }))).toThrow(UnsafeEnvelopeError);
  });

  it.each(['a\nb\r\n', 'a\rb\r\n', '\n.\r\n', 'a\r', 'a\r\n.\nMAIL FROM:<evil@x.test>\r\n'])(
    'includes a bare line ending: %j',
    (text) => {
      expect(() => prepareSmtpMessage(makeOutgoingMessage({ data: Buffer.from(text) }))).toThrow(BareLineEndingError);
    },
  );
});

describe('verdicts', () => {
  it('are one for each recipient, in their order, with the reply that decided', async () => {
    const responses = [
      '250 ok',
      '250 2.1.5 ok',
      '450 4.2.1 busy',
      '550 5.1.1 no such user',
      '354 go',
      '250 2.0.0 queued as 7',
    ];
    const { verdicts } = await sendScripted(responses, { recipients: THREE });
    expect(verdicts).toMatchObject([
      { recipient: THREE[0], outcome: 'accepted', reply: { code: 250, text: '2.0.0 queued as 7', server: 'odd.test' } },
      { recipient: THREE[1], outcome: 'deferred', reply: { code: 450, enhanced: '4.2.1', aboutRecipient: true } },
      { recipient: THREE[2], outcome: 'refused', reply: { code: 550, enhanced: '5.1.1', aboutRecipient: true } },
    ]);
  });

  it('contain a reply of 100 lines as one line', async () => {
    const long = `${'550-5.7.1 we do not want this\r\n'.repeat(99)}550 5.7.1 at all`;
    const { verdicts } = await sendScripted(['250 ok', long, '503 no']);
    expect(verdicts[0]?.reply).toMatchObject({ code: 550, enhanced: '5.7.1' });
    expect(verdicts[0]?.reply?.text).toHaveLength(1_000);
    expect(verdicts[0]?.reply?.text).not.toContain('\n');
  });

  it('are those of the message when the server decides after the dot, and say if that was about one recipient', async () => {
    const one = await sendScripted(['250 ok', '250 ok', '354 go', '554 5.7.1 spam']);
    expect(one.verdicts).toMatchObject([{ outcome: 'refused', reply: { code: 554, aboutRecipient: true } }]);
    const two = await sendScripted(['250 ok', '250 ok', '250 ok', '354 go', '451 4.3.0 later'], {
      recipients: THREE.slice(1),
    });
    expect(two.verdicts).toMatchObject([
      { outcome: 'deferred', reply: { code: 451, aboutRecipient: false }, ambiguous: false },
      { outcome: 'deferred', reply: { code: 451, aboutRecipient: false }, ambiguous: false },
    ]);
  });

  it('are those of the sender when it is rejected, and prove nothing about a recipient', async () => {
    const { verdicts, summary } = await sendScripted(['550 5.1.1 sender unknown', '503 no', '503 no', '503 no'], {
      recipients: THREE.slice(1),
    });
    expect(summary).toEqual(['refused 550', 'refused 550']);
    expect(verdicts[0]).toMatchObject({ reason: 'The server rejected the sender.', reply: { aboutRecipient: false } });
  });

  it('are those of DATA when it is rejected', async () => {
    const { summary } = await sendScripted(['250 ok', '250 ok', '550 no', '451 not now'], {
      recipients: THREE.slice(1),
    });
    expect(summary).toEqual(['deferred 451', 'refused 550']);
  });

  it('defer recipients above the server’s limit, also with the old 552 reply', async () => {
    const responses = ['250 ok', '250 ok', '552 too many recipients', '552 5.2.2 mailbox full', '354 go', '250 ok'];
    const { summary } = await sendScripted(responses, { recipients: THREE });
    expect(summary).toEqual(['accepted 250', 'deferred 552', 'refused 552']);
    expect((await sendScripted(['250 ok', '552 over quota', '503 no'])).summary).toEqual(['refused 552']);
  });
});

describe('when no recipient is accepted', () => {
  it('resets the transaction before the next message when DATA is rejected', async () => {
    let second: string[] = [];
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await play(c, '250 ok', '550 no', '503 none');
      second = await play(c, '250 reset', '250 ok', '250 ok', '354 go', '250 taken');
    });
    const connection = await open(server.port);
    expect(await summaryOf(send(connection))).toEqual(['refused 550']);
    expect(await summaryOf(send(connection))).toEqual(['accepted 250']);
    expect(second[0]).toBe('RSET');
  });

  it('ends with a lone dot when DATA is accepted anyway, and needs no reset', async () => {
    let lines: string[] = [];
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      lines = await play(
        c,
        '250 ok',
        '550 no',
        '354 go',
        '554 no valid recipients',
        '250 ok',
        '250 ok',
        '354 go',
        '250 taken',
      );
    });
    const connection = await open(server.port);
    expect(await summaryOf(send(connection))).toEqual(['refused 550']);
    expect(await summaryOf(send(connection))).toEqual(['accepted 250']);
    expect(lines[3]).toBe('.\r\n');
    expect(lines[4]).toMatch(/^MAIL FROM/);
  });

  it('never sends the body to a server that deferred the sender', async () => {
    const responses = ['451 later', '250 ok', '354 go', '250 taken'];
    const { summary, lines } = await sendScripted(responses);
    expect(summary).toEqual(['deferred 451']);
    expect(lines[3]).toBe('.\r\n');
  });

  it('sends no DATA when commands are sent one at a time, and resets', async () => {
    let lines: string[] = [];
    const server = await serve(async (c) => {
      await c.open();
      lines = await play(c, '250 ok', '550 no', '250 reset', '250 ok', '250 ok', '354 go', '250 taken');
    });
    const connection = await open(server.port);
    expect(await summaryOf(send(connection))).toEqual(['refused 550']);
    expect(await summaryOf(send(connection))).toEqual(['accepted 250']);
    expect(lines.map((line) => line.slice(0, 4))).toEqual(['MAIL', 'RCPT', 'RSET', 'MAIL', 'RCPT', 'DATA', 'Subj']);
  });

  it('starts again elsewhere when the reset is rejected', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await play(c, '250 ok', '550 no', '503 none');
      await play(c, '500 what?');
    });
    const connection = await open(server.port);
    await send(connection);
    expect(await send(connection)).toBe('stale');
    expect(connection.isReady).toBe(false);
  });
});

describe('a 421 reply', () => {
  it.each([
    ['the sender', ['421 bye'], ['deferred 421', 'deferred 421', 'deferred 421']],
    ['a recipient', ['250 ok', '550 no', '250 ok', '421 bye'], ['refused 550', 'deferred 421', 'deferred 421']],
    ['DATA', ['250 ok', '250 ok', '550 no', '250 ok', '421 bye'], ['deferred 421', 'refused 550', 'deferred 421']],
    [
      'the message',
      ['250 ok', '250 ok', '550 no', '250 ok', '354 go', '421 bye'],
      ['deferred 421', 'refused 550', 'deferred 421'],
    ],
  ])('to %s closes the connection and defers recipients that were not rejected', async (_name, responses, summary) => {
    const outcome = await sendScripted(responses, { recipients: THREE });
    expect(outcome.summary).toEqual(summary);
    expect(outcome.verdicts.every(({ ambiguous }) => !ambiguous)).toBe(true);
    expect(outcome.connection.isReady).toBe(false);
    await outcome.connection.closed;
  });
});

describe('a connection that is lost', () => {
  it.each([
    ['the sender', [], 'the reply to MAIL FROM'],
    ['a recipient', ['250 ok', '550 no'], 'the reply to RCPT TO'],
    ['DATA', ['250 ok', '550 no', '250 ok', '250 ok'], 'the reply to DATA'],
  ])('before the reply to %s defers, and is not ambiguous', async (_name, responses, words) => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await play(c, ...responses);
      c.socket.end();
    });
    const verdicts = await verdictsOf(send(await open(server.port), { recipients: THREE }));
    const last = verdicts.at(-1);
    expect(last).toMatchObject({ outcome: 'deferred', reply: null, ambiguous: false });
    expect(last?.reason).toContain(words);
    expect(verdicts[0]?.outcome).toBe(responses.length > 0 ? 'refused' : 'deferred');
  });

  it('after the dot is ambiguous for the accepted recipients alone', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await play(c, '250 ok', '250 ok', '550 no', '354 go');
      await c.body();
      c.socket.destroy();
    });
    const summary = await summaryOf(send(await open(server.port), { recipients: THREE.slice(1) }));
    expect(summary).toEqual(['deferred - ?', 'refused 550']);
  });

  it('is detected after a reset too', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await c.line();
      c.socket.resetAndDestroy();
    });
    const [verdict] = await verdictsOf(send(await open(server.port)));
    expect(verdict).toMatchObject({ outcome: 'deferred', ambiguous: false });
    expect(verdict?.reason).toMatch(/ECONNRESET|closed the connection/);
  });

  it('in the middle of a large body is not ambiguous, since the dot was never sent', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await play(c, '250 ok', '250 ok', '354 go');
      c.socket.pause();
      c.socket.resetAndDestroy();
    });
    const data = Buffer.from('0123456789\r\n'.repeat(2_000_000));
    expect(await summaryOf(send(await open(server.port), { data }))).toEqual(['deferred -']);
  });

  it('is called stale on a kept connection, until the body has begun', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await play(c, '250 ok', '250 ok', '354 go', '250 taken');
      if (c.number === 1) await c.line();
      if (c.number === 2) await play(c, '421 idle too long');
      if (c.number === 3) await play(c, '250 ok', '250 ok');
      if (c.number === 4) await play(c, '250 ok', '250 ok', '354 go');
      if (c.number === 4) await c.body();
      c.socket.end();
    });
    const second = async () => {
      const connection = await open(server.port);
      await send(connection);
      return send(connection);
    };
    expect(await second()).toBe('stale');
    expect(await second()).toBe('stale');
    expect(await second()).toBe('stale');
    expect(await summaryOf(second())).toEqual(['deferred - ?']);
  });
});

describe('a slow server', () => {
  it.each([
    ['the sender', [], 'deferred -'],
    ['DATA', ['250 ok', '250 ok'], 'deferred -'],
    ['the message', ['250 ok', '250 ok', '354 go'], 'deferred - ?'],
  ])('that delays its reply to %s reaches the timeout', async (_name, responses, summary) => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await play(c, ...responses);
    });
    expect(await summaryOf(send(await open(server.port, { timeouts: SHORT })))).toEqual([summary]);
  });

  it('after the dot has a separate timeout', async () => {
    const read = Promise.withResolvers<void>();
    const response = Promise.withResolvers<void>();
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      // The second client is the clock: it gets no reply, and its timeout is that of the first one's commands.
      if (c.number === 2) return;
      await play(c, '250 ok', '250 ok', '354 go');
      await c.body();
      read.resolve();
      await response.promise;
      c.say('250 taken at last\r\n');
    });
    const timeouts = { ...SHORT, afterDotMs: 60_000 };
    const sent = summaryOf(send(await open(server.port, { timeouts })));
    await read.promise;
    expect(await summaryOf(send(await open(server.port, { timeouts })))).toEqual(['deferred -']);
    response.resolve();
    expect(await sent).toEqual(['accepted 250']);
  });

  it('that stops reading a large body reaches the timeout without ambiguity', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await play(c, '250 ok', '250 ok');
      await c.line();
      c.socket.pause();
      c.say('354 go\r\n');
    });
    const data = Buffer.from('0123456789\r\n'.repeat(2_000_000));
    expect(await summaryOf(send(await open(server.port, { timeouts: SHORT }), { data }))).toEqual(['deferred -']);
  });
});

describe('a server that sends invalid replies', () => {
  it.each([
    ['at the sender', ['354 go']],
    ['at a recipient', ['250 ok', '354 what']],
    ['at DATA', ['250 ok', '250 ok', '250 fine']],
    ['by an invalid reply', ['250 ok', 'what a nice day']],
    ['by two codes in one reply', ['250 ok', '250-ok\r\n550 no']],
  ])('defers %s, also those it had rejected', async (_name, responses) => {
    const recipients = THREE.slice(1);
    const given = responses.length > 1 ? [responses[0] ?? '', '550 no', ...responses.slice(1)] : responses;
    const { summary, connection } = await sendScripted(given, { recipients });
    expect(summary).toEqual(['deferred -', 'deferred -']);
    expect(connection.isReady).toBe(false);
  });

  it('makes the outcome ambiguous after the dot', async () => {
    const { verdicts } = await sendScripted(['250 ok', '550 no', '250 ok', '354 go', 'eh?'], {
      recipients: THREE.slice(1),
    });
    expect(verdicts).toMatchObject([
      { outcome: 'refused', ambiguous: false },
      { outcome: 'deferred', ambiguous: true },
    ]);
    const odd = await sendScripted(['250 ok', '250 ok', '354 go', '354 go on']);
    expect(odd.verdicts).toMatchObject([{ outcome: 'deferred', ambiguous: true }]);
  });

  it('is cut off if it floods the connection after the dot', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await play(c, '250 ok', '250 ok', '354 go');
      await c.body();
      const flood = () => {
        while (!c.socket.destroyed && c.socket.write('250-more and more\r\n'.repeat(50)));
      };
      c.socket.on('drain', flood);
      flood();
    });
    expect(await summaryOf(send(await open(server.port)))).toEqual(['deferred - ?']);
  });

  it('can reject before the dot; any other early reply is an error', async () => {
    const respondEarly = async (early: string) => {
      const server = await serve(async (c) => {
        await c.open('PIPELINING');
        await play(c, '250 ok', '250 ok');
        await c.line();
        c.socket.pause();
        c.say(`354 go\r\n`);
        setImmediate(() => c.say(`${early}\r\n`));
      });
      const data = Buffer.from('0123456789\r\n'.repeat(2_000_000));
      return summaryOf(send(await open(server.port), { data }));
    };
    expect(await respondEarly('552 5.3.4 too large')).toEqual(['refused 552']);
    expect(await respondEarly('452 4.3.1 disk full')).toEqual(['deferred 452']);
    expect(await respondEarly('250 taken')).toEqual(['deferred -']);
  });

  it('loses its connection if it sends data between two messages', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await play(c, '250 ok', '250 ok', '354 go', '250 taken\r\n250 and again');
    });
    const connection = await open(server.port);
    expect(await summaryOf(send(connection))).toEqual(['accepted 250']);
    await connection.closed;
    expect(connection.isReady).toBe(false);
  });
});

describe('the lifecycle of a connection', () => {
  it('sends message after message, each with its own verdict', async () => {
    const server = await sink({
      replies: { recipient: (address) => (address.startsWith('no') ? { code: 550, text: '5.1.1 no' } : undefined) },
    });
    const connection = await open(server.port);
    for (const recipient of ['a@x.test', 'no@x.test', 'b@x.test', 'no2@x.test', 'no3@x.test', 'c@x.test']) {
      const expected = recipient.startsWith('no') ? 'refused 550' : 'accepted 250';
      expect(await summaryOf(send(connection, { recipients: [recipient] }))).toEqual([expected]);
    }
    expect(server.messages.map(({ recipients }) => recipients)).toEqual([['a@x.test'], ['b@x.test'], ['c@x.test']]);
    expect(server.connections).toBe(1);
  });

  it('ends after its maximum number of messages', async () => {
    const server = await sink();
    const connection = await open(server.port, { maxMessages: 2 });
    await send(connection);
    expect(connection.isReady).toBe(true);
    await send(connection);
    expect(connection.isReady).toBe(false);
  });

  it('sends QUIT after its idle time, and reports that it is closed', async () => {
    const server = await serve(async (c) => {
      await c.open('PIPELINING');
      await play(c, '250 ok', '250 ok', '354 go', '250 taken', '221 bye');
    });
    const connection = await open(server.port, { timeouts: { ...SHORT, commandMs: 5_000, idleMs: 40 } });
    const gone = new Promise<void>((resolve) => {
      connection.onGone = resolve;
    });
    await send(connection);
    await gone;
    expect(connection.isReady).toBe(false);
    await connection.closed;
    expect((await server.conversation(1)).chunks.at(-1)).toBe('QUIT\r\n');
  });

  it('detects a server that disconnects while nothing is sent', async () => {
    const server = await serve((c) => c.open('PIPELINING'));
    const connection = await open(server.port);
    const { say, socket } = await server.conversation(1);
    say('421 going down\r\n');
    socket.end();
    await connection.closed;
    expect(connection.isReady).toBe(false);
    await connection.quit();
  });
});
