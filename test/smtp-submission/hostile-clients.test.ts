import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { openLoggedIn, openSmtpSession, type SmtpSession } from '../harness/smtp-session.ts';
import { type SubmissionApp, startSubmissionApp, startSubmissionBeside } from '../harness/submission-client.ts';

let server: SubmissionApp;
beforeAll(async () => {
  // All clients of these tests have one address.
  server = await startSubmissionApp({ settings: { POSTRIDER_SMTP_CONNECTIONS_PER_ADDRESS: '6000' } });
});
afterAll(() => server.close());
const cleanUp = useCleanUps();

const total = async () => (await server.call('GET', '/emails')).body.total;

/** A session that is about to send its message's text. */
async function openData(): Promise<SmtpSession> {
  const session = await openLoggedIn(server.smtp.tlsPort, server.key);
  cleanUp(() => session.close());
  await session.say('MAIL FROM:<ada@sandbox.test>');
  await session.say('RCPT TO:<delivered@sandbox.test>');
  await session.say('DATA');
  return session;
}

const HEAD = 'From: ada@sandbox.test\r\nSubject: Hello\r\n\r\n';
const SECOND =
  'MAIL FROM:<ada@sandbox.test>\r\nRCPT TO:<delivered@sandbox.test>\r\nDATA\r\nFrom: ada@sandbox.test\r\nSubject: smuggled\r\n\r\nx\r\n.\r\n';

describe('a message within a message', () => {
  it('is found only after CR LF dot CR LF, and what looks like another end is rejected', async () => {
    const ends = [
      '\n.\n',
      '\n.\r\n',
      '\r\n.\n',
      '\r.\r',
      '\r.\r\n',
      '\r\n.\r',
      '\r\r\n.\r\r\n',
      '\r\n\0.\r\n',
      '\n\n.\r\n\r\n',
    ];
    const before = await total();
    for (const end of ends) {
      const session = await openData();
      session.write(`${HEAD}Hi${end}${SECOND}\r\n.\r\n`);
      expect([end, await session.reply()]).toEqual([
        end,
        expect.stringMatching(/^554 5\.5\.2 validation_failed: the message contains a (bare (CR|LF)|NUL);/),
      ]);
      // Nothing written after it gets a reply: the connection is over.
      expect([end, await session.reply()]).toEqual([end, null]);
    }
    expect(await total()).toBe(before);
  });

  it('is not created by how the bytes are split, and a doubled dot is text', async () => {
    const session = await openData();
    for (const piece of [
      HEAD.slice(0, 20),
      HEAD.slice(20),
      'one\r',
      '\n',
      '.',
      '.',
      '\r',
      '\n',
      'two\r\n.',
      '\r',
      '\n',
    ]) {
      session.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const id = (await session.reply())?.split(' ').at(-1);
    expect((await server.settled(id ?? '')).body.text).toBe('one\n.\ntwo');
  });

  it('may follow it correctly, in the same write', async () => {
    const session = await openData();
    session.write(`${HEAD}Hi\r\n.\r\n${SECOND}QUIT\r\n`);
    for (const code of [250, 250, 250, 354, 250, 221]) expect(await session.reply()).toMatch(new RegExp(`^${code} `));
  });
});

describe('header injection', () => {
  it('is impossible in any header that is read or forwarded', async () => {
    const word = (text: string) => `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`;
    const before = await total();
    const headers = [
      `Subject: ${word('Hello\r\nBcc: eve@evil.test')}`,
      `Subject: Hello\r\nX-Service-Agent: ${word('Claw\r\nX: y')}`,
      `Subject: Hello\r\nX-Tag: ${word('a\nb')}`,
      `Subject: ${word('\u202egnp.exe')}`,
      `Subject: Hello\r\nX Foo: bar`,
      `Subject: Hello\r\nTo: ${word('x\r\ny')} <delivered@sandbox.test>`,
    ];
    for (const header of headers) {
      const session = await openData();
      session.write(`From: ada@sandbox.test\r\n${header}\r\n\r\nHi\r\n.\r\n`);
      expect([header, await session.reply()]).toEqual([
        header,
        expect.stringMatching(/^554 5\.6\.0 validation_failed: /),
      ]);
    }
    expect(await total()).toBe(before);
  });

  it('is impossible in a reply', async () => {
    const session = await openLoggedIn(server.smtp.tlsPort, server.key);
    cleanUp(() => session.close());
    for (const line of ['MAIL FROM:<a@b.test> ENVID=a+0D+0A250+20ok', 'EHLO a\x00b', 'MAIL FROM:<a\u2028b@c.test>']) {
      expect(await session.say(line)).toMatch(/^5\d\d [^\r\n]*$/);
    }
    await session.say('MAIL FROM:<a@b.test>');
    for (const path of ['\u202eevil@example.com', 'ünï@example.com', `${'a'.repeat(600)}@example.com`]) {
      const reply = await session.say(`RCPT TO:<${path}>`);
      expect(reply).toMatch(/^5\d\d [\x20-\x7e]*$/);
      expect(reply?.length).toBeLessThanOrEqual(510);
    }
  });
});

describe('garbage', () => {
  it('on a new connection gets a reply or a closed connection, and does no harm', async () => {
    const lines = [
      randomBytes(4_000),
      Buffer.alloc(100_000, 0x41),
      Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      Buffer.from([0x16, 3, 1, 0, 200, 1]),
    ];
    for (const mode of ['plain', 'tls'] as const) {
      for (const bytes of lines) {
        const session = await openSmtpSession(mode === 'tls' ? server.smtp.tlsPort : server.smtp.port, mode);
        cleanUp(() => session.close());
        session.write(bytes);
        session.write('\r\n'.repeat(20));
        const replies: (string | null)[] = [];
        for (let reply = await session.reply(); reply !== null; reply = await session.reply()) replies.push(reply);
        expect(replies.length).toBeGreaterThan(0);
        for (const reply of replies) expect(reply).toMatch(/^(421|5\d\d) /);
      }
    }
    expect((await server.call('GET', '/health')).status).toBe(200);
  });

  it('as a message is rejected, never guessed at, and never 4xx', async () => {
    const bodies = [
      Buffer.from('\xff\xfe\xfd garbage\r\n', 'latin1'),
      Buffer.concat([Buffer.from(HEAD), Buffer.from('Gr\xfc\xdfe\r\n', 'latin1')]),
      Buffer.from('From: ada@sandbox.test\r\nSubject: J\xf6rg\r\n\r\nHi\r\n', 'latin1'),
      Buffer.from('From: ada@sandbox.test\r\nSubject: x\r\nContent-Type: multipart/mixed; boundary="\r\n\r\n--\r\n'),
      Buffer.from('\r\n'),
      Buffer.from(`${'X-Many: x\r\n'.repeat(40_000)}\r\nHi\r\n`),
    ];
    for (const body of bodies) {
      const session = await openData();
      session.write(Buffer.concat([body, Buffer.from('.\r\n')]));
      expect(await session.reply()).toMatch(/^554 5\.6\.0 validation_failed: /);
      expect(await session.say('NOOP')).toMatch(/^250 /);
    }
  });

  it('before TLS is dropped: nothing sent unencrypted is read afterwards', async () => {
    const session = await openSmtpSession(server.smtp.port);
    cleanUp(() => session.close());
    await session.say('EHLO client.test');
    session.write('STARTTLS\r\nEHLO injected.test\r\n');
    expect(await session.reply()).toMatch(/^220 /);
    const secured = await session.secure();
    cleanUp(() => secured.close());
    expect(await secured.say('NOOP')).toMatch(/^250 2\.0\.0 OK/);
  });
});

describe('size', () => {
  it('is announced, and a larger message is rejected before it is sent', async () => {
    const session = await openLoggedIn(server.smtp.tlsPort, server.key);
    cleanUp(() => session.close());
    expect(await session.say(`MAIL FROM:<a@b.test> SIZE=${26 * 1024 * 1024}`)).toMatch(/^552 5\.3\.4 /);
    expect(await session.say('MAIL FROM:<a@b.test> SIZE=1000')).toMatch(/^250 /);
  });

  it('is limited to 25 MB when nothing was announced, and the connection continues', async () => {
    const before = await total();
    const session = await openData();
    session.write(HEAD);
    const line = Buffer.from(`${'x'.repeat(1_022)}\r\n`.repeat(1_024));
    for (let megabyte = 0; megabyte < 26; megabyte += 1) {
      session.write(line);
      if (session.socket.writableNeedDrain) await new Promise((resolve) => session.socket.once('drain', resolve));
    }
    session.write('.\r\n');
    expect(await session.reply()).toMatch(/^552 5\.3\.4 payload_too_large: /);
    expect(await session.say('NOOP')).toMatch(/^250 /);
    expect(await total()).toBe(before);
  });
});

describe('time', () => {
  const LIMITS = { logInMs: 400, stallMs: 200, idleMs: 60_000, messageMs: 700 };

  async function openBeside(limits: Partial<typeof LIMITS> = {}) {
    const beside = await startSubmissionBeside(server, { ...LIMITS, ...limits });
    cleanUp(() => beside.drain());
    return beside.ports;
  }

  /** Writes something harmless again and again, so that the connection is never silent. */
  function drip(session: SmtpSession, text: string): void {
    const timer = setInterval(() => session.write(text), 50);
    cleanUp(() => clearInterval(timer));
    session.socket.once('close', () => clearInterval(timer));
  }

  it('to log in is limited, whatever the client does meanwhile', async () => {
    const { port } = await openBeside({ stallMs: 60_000 });
    const silent = await openSmtpSession(port);
    const busy = await openSmtpSession(port);
    drip(busy, ' ');
    for (const session of [silent, busy]) {
      cleanUp(() => session.close());
      expect(await session.reply()).toMatch(/^421 4\.4\.2 /);
      expect(await session.reply()).toBeNull();
    }
  });

  it('for a handshake is limited', async () => {
    const { port, tlsPort } = await openBeside();
    const { connect } = await import('node:net');
    const stalled = connect(tlsPort, '127.0.0.1');
    await new Promise((resolve) =>
      stalled
        .once('close', resolve)
        .on('error', () => undefined)
        .resume(),
    );
    const session = await openSmtpSession(port);
    await session.say('EHLO client.test');
    await session.say('STARTTLS');
    expect(await session.reply()).toBeNull();
  });

  it('for a message is limited, for silence and in total, and none is accepted', async () => {
    const { tlsPort } = await openBeside();
    const before = await total();
    for (const isDripping of [false, true]) {
      const session = await openLoggedIn(tlsPort, server.key);
      cleanUp(() => session.close());
      await session.say('MAIL FROM:<ada@sandbox.test>');
      await session.say('RCPT TO:<delivered@sandbox.test>');
      expect(await session.say('DATA')).toMatch(/^354/);
      session.write(`${HEAD}Hi`);
      if (isDripping) drip(session, 'x');
      expect(await session.reply()).toMatch(/^421 4\.4\.2 /);
      expect(await session.reply()).toBeNull();
    }
    expect(await total()).toBe(before);
  });

  it('between messages is unlimited for the client, once it has logged in', async () => {
    const { tlsPort } = await openBeside();
    const session = await openLoggedIn(tlsPort, server.key);
    cleanUp(() => session.close());
    await new Promise((resolve) => setTimeout(resolve, LIMITS.logInMs + LIMITS.stallMs));
    expect(await session.say('NOOP')).toMatch(/^250 /);
  });
});

describe('many connections', () => {
  it('that are idle delay no other sender, and no readiness check', async () => {
    const idle = await Promise.all(Array.from({ length: 500 }, () => openSmtpSession(server.smtp.port)));
    cleanUp(() => {
      for (const session of idle) session.close();
    });
    const began = performance.now();
    expect((await server.call('GET', '/health/ready')).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(1_000);
    const session = await openData();
    session.write(`${HEAD}Hi\r\n.\r\n`);
    expect(await session.reply()).toMatch(/^250 2\.0\.0 queued as /);
  });
});
